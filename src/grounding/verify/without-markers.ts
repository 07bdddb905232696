/** Citation markers: `[1]`, `[1, 3]`, `[2-4]`, `[^1]`, `【3】`. */
export const CITATION_MARKER: RegExp = /\[\^?\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*\]|【\d{1,3}[^】]{0,40}】/gu;

/** Puts blanks in the place of citation markers, so that all offsets stay as they are. */
export function withoutMarkers(text: string): string {
  return text.replace(CITATION_MARKER, (marker) => " ".repeat(marker.length));
}
