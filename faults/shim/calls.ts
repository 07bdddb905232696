/** Functions of `node:fs` that change or sync something. An `openSync` that only reads is none. */
export const WRITES: ReadonlySet<string> = new Set([
  "openSync",
  "writeFileSync",
  "writeSync",
  "appendFileSync",
  "fsyncSync",
  "fchmodSync",
  "renameSync",
  "linkSync",
  "unlinkSync",
  "rmSync",
  "mkdirSync",
  "rmdirSync",
  "copyFileSync",
]);

/** Functions of `node:fs` that only look. */
export const READS: ReadonlySet<string> = new Set([
  "readFileSync",
  "readSync",
  "readdirSync",
  "statSync",
  "lstatSync",
  "accessSync",
  "readlinkSync",
]);

const SPACE: ReadonlySet<string> = new Set([
  "openSync",
  "writeFileSync",
  "writeSync",
  "appendFileSync",
  "fsyncSync",
  "renameSync",
  "linkSync",
  "mkdirSync",
  "copyFileSync",
]);
const RIGHTS: ReadonlySet<string> = new Set([
  "openSync",
  "fchmodSync",
  "renameSync",
  "linkSync",
  "unlinkSync",
  "rmSync",
  "mkdirSync",
  "rmdirSync",
  "copyFileSync",
]);
const DESCRIPTORS: ReadonlySet<string> = new Set(["openSync", "copyFileSync", "readFileSync", "readdirSync"]);

/** Whether a function can fail with a code on a real system. */
export function canFail(name: string, code: string): boolean {
  switch (code) {
    case "ENOSPC":
      return SPACE.has(name);
    case "EACCES":
    case "EROFS":
      return RIGHTS.has(name);
    case "EMFILE":
      return DESCRIPTORS.has(name);
    default:
      return true;
  }
}
