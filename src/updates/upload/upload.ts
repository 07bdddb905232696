import { type Dirent, lstatSync, readFileSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { escapeText, quote, truncate } from "../../kernel/text.ts";
import { codeOf } from "../../kernel/error-message.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import type { PendingChange } from "../pending/pending-change.ts";
import { parseAll } from "../pending/pending-store.ts";
import { type AdmittedEntry, type ZipEntry, isZip64, zipEntries } from "./zip-entries.ts";

/** Limits for an upload, which comes from another machine and may be malicious. */
export interface UploadLimits {
  /** Entries of any kind. */
  readonly entries: number;
  /** Bytes of the archive's own file. */
  readonly archiveBytes: number;
  /** Maximum bytes of the file of one update, and of all files together. */
  readonly fileBytes: number;
  readonly totalBytes: number;
}

/** Far above what a run leaves, far below what fills a memory. */
export const UPLOAD_LIMITS: UploadLimits = {
  entries: 20_000,
  archiveBytes: 256 * 1024 * 1024,
  fileBytes: 96 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
};

/** File of an update in an upload. */
interface UploadedFile {
  /** Directory that contains `pending`, relative to the upload. Empty for the upload itself. */
  readonly state: string;
  /** 12 hex digits and `.json`. */
  readonly name: string;
  readonly text: string;
}

/** Why an upload is not read, in one phrase, and what to do; never leaves this folder. */
class UploadRefused extends Error {
  readonly remedy: string;

  constructor(
    message: string,
    { remedy = "Download the upload again", cause }: { remedy?: string; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.remedy = remedy;
  }
}

/** Counts the bytes and files read from an upload. Throws {@link UploadRefused} if a limit is exceeded. */
class UploadBudget {
  readonly #limits: UploadLimits;
  #entries = 0;
  #bytes = 0;

  constructor(limits: UploadLimits) {
    this.#limits = limits;
  }

  entry(): void {
    this.#entries += 1;
    if (this.#entries > this.#limits.entries)
      throw new UploadRefused(`it has more than ${this.#limits.entries} entries`);
  }

  file(name: string, bytes: number): void {
    const { fileBytes, totalBytes } = this.#limits;
    if (bytes > fileBytes) throw new UploadRefused(`${name} has ${bytes} bytes, which is more than ${fileBytes}`);
    this.#bytes += bytes;
    if (this.#bytes > totalBytes)
      throw new UploadRefused(`its pending changes have more than ${totalBytes} bytes together`);
  }
}

/**
 * Reads the pending changes of a state directory that another machine uploaded: a directory or a zip archive with
 * `pending/<key>.json` in it, at most five directories deep. Reads all or none: the error is one sentence on the first
 * problem. If it has the state of several projects, reads that of `places`.
 */
export function readUpload(
  path: string,
  { state }: Pick<ProjectPaths, "state">,
  limits: UploadLimits = UPLOAD_LIMITS,
): Result<readonly PendingChange[], string> {
  try {
    const files = oneState(filesOf(path, limits), basename(state));
    const { changes, unreadable } = parseAll(files);
    const [bad] = unreadable;
    if (bad !== undefined) throw new UploadRefused(bad);
    const names = new Set(files.map(({ name }) => name));
    const strange = changes.find(({ key }) => !names.delete(`${key}.json`));
    if (strange !== undefined) throw new UploadRefused(`the update ${strange.key} is in a file with a different name`);
    for (const { key, text } of changes) refuseHuge(key, text ?? "");
    return ok(changes);
  } catch (thrown) {
    if (thrown instanceof UploadRefused) {
      const { message, remedy } = thrown;
      return err(
        `Cannot read ${escapeText(path)}: ${escapeText(message)}. veritest didn't apply any of its changes. ${remedy}.`,
      );
    }
    if (codeOf(thrown) === "ENOENT") return err(`Cannot read ${escapeText(path)}: it doesn't exist.`);
    throw thrown;
  }
}

/** Twice as deep as a value that is recorded. */
const MAX_NESTING = 1000;

/** A parsed value takes 300 bytes, ten times the bytes of an update's text for each: 75 MB for this number. */
const MAX_VALUES = 250_000;

/** Throws {@link UploadRefused} for a JSON text that is nested deeper than functions can call themselves, or huge. */
function refuseHuge(key: string, text: string): void {
  let depth = 0;
  let values = 1;
  for (const [token] of text.matchAll(/[[\]{},]|"(?:[^"\\]|\\.)*"/g)) {
    if (token === ",") values += 1;
    else if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    if (depth > MAX_NESTING)
      throw new UploadRefused(`the update ${key} is nested deeper than ${MAX_NESTING} levels`, { remedy: RUN_HERE });
    if (values > MAX_VALUES)
      throw new UploadRefused(`the update ${key} has more than ${MAX_VALUES} values`, { remedy: RUN_HERE });
  }
}

const RUN_HERE = "Run its test with -u on your machine instead";

function filesOf(path: string, limits: UploadLimits): UploadedFile[] {
  const stats = statSync(path);
  if (stats.isDirectory()) return readUploadDirectory(path, limits);
  if (!stats.isFile()) throw new UploadRefused("it is neither a directory nor a file");
  if (stats.size > limits.archiveBytes)
    throw new UploadRefused(`it has ${stats.size} bytes, which is more than ${limits.archiveBytes}`);
  return readUploadZip(readFileSync(path), limits);
}

/** A repository may contain several projects. The targets of each are relative to that project. */
function oneState(files: readonly UploadedFile[], id: string): readonly UploadedFile[] {
  const states = [...new Set(files.map(({ state }) => state))];
  if (states.length <= 1) return files;
  const own = states.filter((state) => basename(state) === id);
  const [state] = own;
  if (state === undefined || own.length > 1)
    throw new UploadRefused(
      `it contains the state of several projects (${states.toSorted().join(", ")}). Pass the directory of one project`,
    );
  return files.filter((file) => file.state === state);
}

/** Maximum number of directories around `pending`, as artifacts of CI services have them. */
const MAX_DEPTH = 5;

/** Reads the updates below an unpacked upload. Follows no link. Throws {@link UploadRefused}, or file system errors. */
function readUploadDirectory(directory: string, limits: UploadLimits): UploadedFile[] {
  const budget = new UploadBudget(limits);
  return statesBelow(directory, "", MAX_DEPTH).flatMap((state) => {
    const pending = join(directory, state, "pending");
    const entries = readdirSync(pending, { withFileTypes: true }).filter(({ name }) =>
      /^[0-9a-f]{12}\.json$/.test(name),
    );
    return entries.map((entry) => ({ state, name: entry.name, text: read(join(pending, entry.name), entry, budget) }));
  });
}

/** Directories that contain a directory `pending`, relative to the upload. */
function statesBelow(directory: string, inside: string, depth: number): string[] {
  const entries = readdirSync(join(directory, inside), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const own = entries.some(({ name }) => name === "pending") ? [inside] : [];
  if (depth === 0) return own;
  const below = entries.filter(({ name }) => name !== "pending" && name !== "node_modules");
  return [
    ...own,
    ...below.flatMap(({ name }) => statesBelow(directory, inside === "" ? name : `${inside}/${name}`, depth - 1)),
  ];
}

function read(path: string, entry: Dirent, budget: UploadBudget): string {
  if (!entry.isFile()) throw new UploadRefused(`${entry.name} isn't a regular file`);
  budget.entry();
  budget.file(entry.name, lstatSync(path).size);
  return readFileSync(path, "utf8");
}

/** Reading an update takes ten times its size in memory, so a small archive may not inflate to a large one. */
const FREE_BYTES = 8 * 1024 * 1024;
/** Inflated bytes for each byte of an archive. Text of updates has up to 30. */
const MAX_RATIO = 100;

const UPDATE_FILE = new RegExp(String.raw`^((?:[^/]+/){0,${MAX_DEPTH}})pending/([0-9a-f]{12}\.json)$`);

/**
 * Reads the updates of a zip archive in memory: unpacks no file to the disk, inflates only names of updates, and only
 * up to the limits. Throws {@link UploadRefused} for an archive that no honest tool makes.
 */
function readUploadZip(bytes: Buffer, limits: UploadLimits): UploadedFile[] {
  if (isZip64(bytes))
    throw new UploadRefused("it is a Zip64 archive, which isn't supported", {
      remedy: "Unpack it and pass the directory",
    });
  const totalBytes = Math.min(limits.totalBytes, FREE_BYTES + bytes.length * MAX_RATIO);
  const budget = new UploadBudget({ ...limits, totalBytes });
  const seen = new Set<string>();
  const admit = ({ name, originalSize }: ZipEntry): boolean => {
    budget.entry();
    refuseName(name);
    if (!UPDATE_FILE.test(name)) return false;
    if (seen.has(name)) throw new UploadRefused(`it has ${shown(name)} twice`);
    seen.add(name);
    // Limits inflation to the size in the archive's directory.
    budget.file(name, originalSize);
    return true;
  };
  return damaged(() => zipEntries(bytes, admit)).map((entry) => {
    const [, state = "", name = ""] = UPDATE_FILE.exec(entry.name) ?? [];
    return { state: state.replace(/\/$/, ""), name, text: textOf(entry.name, contentOf(entry)) };
  });
}

function damaged<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof UploadRefused) throw thrown;
    throw new UploadRefused("it isn't a zip archive, or it is damaged", { cause: thrown });
  }
}

function contentOf(entry: AdmittedEntry): Uint8Array {
  try {
    return entry.read();
  } catch (thrown) {
    throw new UploadRefused(`its entry ${shown(entry.name)} has a different length than it declares, or is damaged`, {
      cause: thrown,
    });
  }
}

/** Names are never used as paths here. A name with path tricks reveals a malicious archive. */
function refuseName(name: string): void {
  const escapes =
    name.startsWith("/") ||
    name.includes("\\") ||
    name.includes("\0") ||
    /^[a-z]:/i.test(name) ||
    name.split("/").includes("..");
  if (escapes) throw new UploadRefused(`its entry ${shown(name)} would be outside of it`);
}

function textOf(entry: string, content: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch (thrown) {
    throw new UploadRefused(`its entry ${shown(entry)} isn't UTF-8 text`, { cause: thrown });
  }
}

function shown(name: string): string {
  return quote(truncate(name, 100));
}
