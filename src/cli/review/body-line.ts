/** What a line of a screen is, which a terminal shows by its colour. */
export type Tone = "plain" | "strong" | "faint" | "added" | "removed" | "changed";

/** One line, safe to print. */
export interface BodyLine {
  readonly text: string;
  readonly tone: Tone;
}
