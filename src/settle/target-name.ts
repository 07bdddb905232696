import { relative, sep } from "node:path";

/**
 * A file as records name it: relative to the project's root, with forward slashes, so that it holds on every machine.
 */
export function targetName(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}
