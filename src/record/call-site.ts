import { stackPlaces } from "../base/stack-places.ts";

const FRAMES = 60;

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
  const places = stackPlaces(stack);
  return places.find((place) => !place.includes("/node_modules/")) ?? places[0] ?? "";
}
