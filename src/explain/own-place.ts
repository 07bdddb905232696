import { sep } from "node:path";
import { stackPlaces } from "../base/stack-places.ts";

/**
 * Where in the project at `root` what was thrown comes from: `file:line:column`, relative to it with forward slashes,
 * of the innermost place that is no package's. Undefined where nothing was thrown, or only by others.
 */
export function ownPlace(cause: unknown, root: string): string | undefined {
  const inside = root + sep;
  const own = stackPlaces(framesOf(cause)).find(
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
