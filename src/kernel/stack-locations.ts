import { sep } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The places a stack goes through, innermost first, `file:line:column` each: files by their paths, without those of
 * Node itself.
 */
function stackLocations(stack: string): string[] {
  return stack.split("\n").flatMap((line) => locationOf(line) ?? []);
}

function locationOf(line: string): string | undefined {
  const place = /\(?([^()\s][^()]*:\d+:\d+)\)?$/.exec(line.trim().replace(/^at (?:async )?/, ""))?.[1];
  if (place === undefined || /^(?:node:|internal\/|<anonymous>|native)/.test(place)) return undefined;
  return place.startsWith("file://") ? pathOf(place) : place;
}

function pathOf(place: string): string {
  const [, url = place, position = ""] = /^(.*?)(:\d+:\d+)$/.exec(place) ?? [];
  return URL.canParse(url) ? fileURLToPath(url.replace(/\?.*$/, "")) + position : place;
}

const FRAMES = 60;

/**
 * The place that called a function, `file:line:column`: the nearest caller outside of packages and Node, else the
 * nearest at all; empty when the stack does not say. `callee` is the function that was called.
 */
export function callerLocation(callee: object): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  const holder: { stack?: string } = {};
  if (typeof callee === "function") Error.captureStackTrace(holder, callee);
  // Read here: the stack is written when it is first asked for.
  const { stack = "" } = holder;
  Error.stackTraceLimit = stackTraceLimit;
  const places = stackLocations(stack);
  return places.find((place) => !/[\\/]node_modules[\\/]/.test(place)) ?? places[0] ?? "";
}

/**
 * Where in the project at `root` what was thrown comes from: `file:line:column`, relative to it with forward slashes,
 * of the innermost place that is no package's. Undefined where nothing was thrown, or only by others.
 */
export function projectLocation(cause: unknown, root: string): string | undefined {
  const inside = root + sep;
  const own = stackLocations(framesOf(cause)).find(
    (place) => place.startsWith(inside) && !place.includes(`${sep}node_modules${sep}`),
  );
  return own?.slice(inside.length).split(sep).join("/");
}

/** The frames of an error's stack alone: its message may have lines that look like some. */
function framesOf(cause: unknown): string {
  // No `instanceof Error`: an error of another realm (a test environment's) is none here.
  if (typeof cause !== "object" || cause === null || !("stack" in cause) || typeof cause.stack !== "string") return "";
  const { stack } = cause;
  const message = "message" in cause && typeof cause.message === "string" ? cause.message : "";
  const start = stack.indexOf(message);
  return start === -1 ? "" : stack.slice(start + message.length);
}

/** The line at which a stack first goes through a file; undefined where it does not. */
export function lineInStack(stack: string, path: string): number | undefined {
  const start = stack.indexOf(`${path}:`);
  const digits = start === -1 ? undefined : /^\d+/.exec(stack.slice(start + path.length + 1))?.[0];
  return digits === undefined ? undefined : Number(digits);
}
