/** The oldest Node that veritest runs on, as in `engines` of package.json. */
export const OLDEST_NODE = "22.12";

/** Reports that a version of Node is too old; undefined if it isn't, and without Node (in a browser). */
export function unsupportedNodeMessage(version: string | undefined = nodeVersion()): string | undefined {
  if (version === undefined) return undefined;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [least = 0, least2 = 0] = OLDEST_NODE.split(".").map(Number);
  const isOld = major < least || (major === least && minor < least2);
  return isOld ? `veritest needs Node ${OLDEST_NODE} or newer; this is ${version}.` : undefined;
}

/**
 * Throws if Node is too old. Entries call it when they are loaded: a missing feature would fail later, as an undefined
 * function.
 */
export function requireNode(): void {
  const problem = unsupportedNodeMessage();
  if (problem !== undefined) throw new Error(problem);
}

function nodeVersion(): string | undefined {
  const versions: unknown = Reflect.get(Object(Reflect.get(globalThis, "process")), "versions");
  const node: unknown = Reflect.get(Object(versions), "node");
  return typeof node === "string" ? node : undefined;
}
