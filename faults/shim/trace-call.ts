import { lstatSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** One thing that reached the disk's cache. Data is what a file holds after a write, or what was appended to it. */
export type DiskEvent =
  | { readonly kind: "create" | "mkdir" | "unlink" | "rmdir" | "sync"; readonly path: string }
  | { readonly kind: "write" | "append"; readonly path: string; readonly data: string }
  | { readonly kind: "rename" | "link"; readonly path: string; readonly to: string };

// Taken before any fault is armed: looking around here must not count as calls of the program.
const look = { lstat: lstatSync, read: readFileSync, list: readdirSync };

/**
 * What a call is about to do, looked up before it does it; a call that will fail on its own is told as if it
 * succeeded not at all.
 */
export function traceCall(
  name: string,
  args: readonly unknown[],
  pathOf: (descriptor: number) => string | undefined,
): DiskEvent[] {
  const [target, second] = args;
  const path = typeof target === "number" ? pathOf(target) : target;
  if (typeof path !== "string") return [];
  switch (name) {
    case "openSync":
      return exists(path) ? [] : [{ kind: "create", path }];
    case "writeFileSync":
      return [
        ...(exists(path) ? [] : [{ kind: "create", path } as const]),
        { kind: "write", path, data: textOf(second) },
      ];
    case "writeSync":
    case "appendFileSync":
      return [
        ...(exists(path) ? [] : [{ kind: "create", path } as const]),
        { kind: "append", path, data: textOf(second) },
      ];
    case "fsyncSync":
      return [{ kind: "sync", path }];
    case "copyFileSync":
      return typeof second === "string"
        ? [
            { kind: "create", path: second },
            { kind: "write", path: second, data: contentOf(path) },
          ]
        : [];
    default:
      return traceName(name, path, second);
  }
}

function traceName(name: string, path: string, second: unknown): DiskEvent[] {
  switch (name) {
    case "renameSync":
      return typeof second === "string" && exists(path) ? [{ kind: "rename", path, to: second }] : [];
    case "linkSync":
      return typeof second === "string" && !exists(second) ? [{ kind: "link", path, to: second }] : [];
    case "mkdirSync":
      return missing(path).map((made) => ({ kind: "mkdir", path: made }));
    case "rmdirSync":
      return exists(path) && look.list(path).length === 0 ? [{ kind: "rmdir", path }] : [];
    default:
      return name === "rmSync" || name === "unlinkSync" ? removals(path) : [];
  }
}

function removals(path: string): DiskEvent[] {
  if (!exists(path)) return [];
  if (!look.lstat(path).isDirectory()) return [{ kind: "unlink", path }];
  return [...look.list(path).flatMap((name) => removals(join(path, name))), { kind: "rmdir", path }];
}

function missing(path: string): string[] {
  return exists(path) ? [] : [...missing(dirname(path)), path];
}

function exists(path: string): boolean {
  return look.lstat(path, { throwIfNoEntry: false }) !== undefined;
}

function contentOf(path: string): string {
  return exists(path) ? look.read(path, "utf8") : "";
}

function textOf(data: unknown): string {
  if (typeof data === "string") return data;
  return Buffer.isBuffer(data) ? data.toString("utf8") : "";
}
