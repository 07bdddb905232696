import { fileURLToPath } from "node:url";

const FRAMES = 40;

/**
 * The place that called a function, `file:line:column`: the nearest caller outside of packages and Node, else the
 * nearest at all; empty when the stack does not say. `callee` is the function that was called.
 */
export function callSite(callee: object): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  const holder: { stack?: string } = {};
  if (typeof callee === "function") Error.captureStackTrace(holder, callee);
  // Read here: the stack is written when it is first asked for.
  const { stack = "" } = holder;
  Error.stackTraceLimit = stackTraceLimit;
  const places = stack.split("\n").flatMap((line) => placeOf(line) ?? []);
  return places.find((place) => !place.includes("/node_modules/")) ?? places[0] ?? "";
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
