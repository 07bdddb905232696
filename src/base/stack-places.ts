import { fileURLToPath } from "node:url";

/**
 * The places a stack goes through, innermost first, `file:line:column` each: files by their paths, without those of
 * Node itself.
 */
export function stackPlaces(stack: string): string[] {
  return stack.split("\n").flatMap((line) => placeOf(line) ?? []);
}

function placeOf(line: string): string | undefined {
  const place = /\(?([^()\s][^()]*:\d+:\d+)\)?$/.exec(line.trim().replace(/^at (?:async )?/, ""))?.[1];
  if (place === undefined || /^(?:node:|internal\/|<anonymous>|native)/.test(place)) return undefined;
  return place.startsWith("file://") ? pathOf(place) : place;
}

function pathOf(place: string): string {
  const [, url = place, position = ""] = /^(.*?)(:\d+:\d+)$/.exec(place) ?? [];
  return URL.canParse(url) ? fileURLToPath(url.replace(/\?.*$/, "")) + position : place;
}
