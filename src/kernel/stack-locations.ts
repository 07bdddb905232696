import { sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseUrl } from "./parse-url.ts";

/** The locations of a stack, innermost first, `file:line:column` each: files by their paths, without those of Node. */
function stackLocations(stack: string): string[] {
  return stack.split("\n").flatMap((line) => locationOf(line) ?? []);
}

function locationOf(line: string): string | undefined {
  const location = /\(?([^()\s][^()]*:\d+:\d+)\)?$/.exec(line.trim().replace(/^at (?:async )?/, ""))?.[1];
  if (location === undefined || /^(?:node:|internal\/|<anonymous>|native)/.test(location)) return undefined;
  return location.startsWith("file://") ? pathOf(location) : location;
}

function pathOf(location: string): string {
  const [, url = location, position = ""] = /^(.*?)(:\d+:\d+)$/.exec(location) ?? [];
  return parseUrl(url) !== undefined ? fileURLToPath(url.replace(/\?.*$/, "")) + position : location;
}

const FRAMES = 60;

/**
 * Location that called a function, `file:line:column`: the nearest caller outside of packages and Node, or the nearest
 * of all; empty if the stack has none. `callee` is the function that was called.
 */
export function callerLocation(callee: object): string {
  return nearestLocation(callerFrames(callee));
}

/** Returns the nearest location outside of packages, or the nearest of all; empty without any. */
export function nearestLocation(frames: readonly StackFrame[]): string {
  return (frames.find(({ location }) => !isInPackage(location)) ?? frames[0])?.location ?? "";
}

/** Returns true for a location in an installed package. */
export function isInPackage(location: string): boolean {
  return /[\\/]node_modules[\\/]/.test(location);
}

/** A frame of a stack. */
export interface StackFrame {
  /** `file:line:column` */
  readonly location: string;
  /** Name of the function, or empty. */
  readonly name: string;
}

/** The callers of a function outside of Node, innermost first. */
export function callerFrames(callee: object): readonly StackFrame[] {
  const stack = withFrames(() => {
    const holder: { stack?: string } = {};
    if (typeof callee === "function") Error.captureStackTrace(holder, callee);
    // Read here: the stack is written at the first access.
    return holder.stack ?? "";
  });
  return stack.split("\n").flatMap((line) => {
    const location = locationOf(line);
    const [, name = ""] = /^at (?:async )?([^ (]+) \(/.exec(line.trim()) ?? [];
    return location === undefined ? [] : [{ location, name }];
  });
}

/** Calls a function whose errors have stacks of 60 frames. Packages and Node alone may reach the usual limit of ten. */
export function withFrames<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * Location in the project at `root` from which an error was thrown: `file:line:column`, relative to it with forward
 * slashes, of the innermost frame outside of packages. Undefined if there is no error, or only frames of packages.
 */
export function projectLocation(cause: unknown, root: string): string | undefined {
  const inside = root + sep;
  const own = stackLocations(stackParts(cause).frames).find(
    (location) => location.startsWith(inside) && !location.includes(`${sep}node_modules${sep}`),
  );
  return own?.slice(inside.length).split(sep).join("/");
}

/**
 * The parts of an error's stack around its message, which may have lines that look like frames. Node writes the
 * location of invalid syntax before it.
 */
function stackParts(cause: unknown): { readonly header: string; readonly frames: string } {
  const [stack, message] = [textIn(cause, "stack") ?? "", textIn(cause, "message") ?? ""];
  const start = stack.indexOf(message);
  if (start === -1) return { header: "", frames: "" };
  return { header: stack.slice(0, start), frames: stack.slice(start + message.length) };
}

/** The text of an error's field. */
function textIn(cause: unknown, key: string): string | undefined {
  try {
    // No `instanceof Error`: an error of another realm (a test environment's) is none here.
    const value: unknown = Reflect.get(Object(cause), key);
    return typeof value === "string" ? value : undefined;
  } catch {
    // A getter of the user's throws.
    return undefined;
  }
}

/** The line at which an error was thrown, or its stack first goes through a file; undefined if it doesn't. */
export function lineOfError(cause: unknown, path: string): number | undefined {
  const { header, frames } = stackParts(cause);
  // A stack that doesn't have the message was made before the message changed.
  const stack = header + frames === "" ? (textIn(cause, "stack") ?? "") : `${header}\n${frames}`;
  return lineInStack(stack, path) ?? lineInStack(stack, pathToFileURL(path).href);
}

/** The line at which a stack first goes through a file; undefined if it doesn't. */
export function lineInStack(stack: string, path: string): number | undefined {
  const start = stack.indexOf(`${path}:`);
  const digits = start === -1 ? undefined : /^\d+/.exec(stack.slice(start + path.length + 1))?.[0];
  return digits === undefined ? undefined : Number(digits);
}
