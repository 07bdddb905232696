import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Places } from "./places.ts";

/**
 * The key of this project's placeholders, beside its notes and so outside of git; made when it is first asked for.
 * Recordings of machines with different keys fit each other, so where none can be kept, one that lasts as long as the
 * process will do.
 */
export function projectSalt({ notes }: Pick<Places, "notes">): string {
  const path = join(dirname(notes), "salt");
  try {
    return readFileSync(path, "utf8");
  } catch {
    return makeSalt(path);
  }
}

function makeSalt(path: string): string {
  const salt = randomBytes(32).toString("hex");
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, salt, { flag: "wx", mode: 0o600 });
    linkSync(temporary, path);
    return salt;
  } catch {
    return otherSalt(path) ?? salt;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The salt that another worker made at the same moment; undefined where the directory cannot be written. */
function otherSalt(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
