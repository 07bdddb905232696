import { quote } from "../base/text.ts";

/** Names an adapter in a message: `adapter "llm.complete"`; the adapters function itself has no path. */
export function adapterName(path: string): string {
  return path === "" ? "the adapters function" : `adapter ${quote(path)}`;
}

/** The dotted path of what stands at a key of the adapter at `parent`. */
export function joinPath(parent: string, key: string): string {
  return parent === "" ? key : `${parent}.${key}`;
}
