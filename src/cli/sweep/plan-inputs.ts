import { once } from "node:events";
import { createReadStream } from "node:fs";
import { basename, extname } from "node:path";
import { createInterface } from "node:readline";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { hashText } from "../../kernel/json/hash.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { escapeText, quote } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/thrown.ts";
import type { CaseIdentity } from "../../baseline/baseline.ts";
import { displayPath } from "../../baseline/library.ts";
import { readText } from "../../kernel/files/read.ts";
import { inputHashOf } from "../../record/snapshot.ts";
import { currentRedactor } from "../../redact/current-redactor.ts";

/** Which inputs of files are to be captured, and how their cases are called. */
interface InputRequest {
  /** Absolute. */
  readonly files: readonly string[];
  /** Names the cases: `{file}` stands for the file's name without its ending, `{line}` for the line. */
  readonly name: string | undefined;
  /** How many of the inputs; undefined for all. */
  readonly sample: number | undefined;
  readonly seed: string;
}

/** An input that is to be captured. */
export interface PlannedInput extends FoundInput {
  readonly name: string | undefined;
}

/** The inputs that are to be captured, without their contents: they are read again when it is their turn. */
export interface InputPlan {
  readonly count: number;
  /** Inputs that are the same as an earlier one. */
  readonly duplicates: number;
  /** Inputs that the sample leaves out. */
  readonly leftOut: number;
  /** Reads the chosen inputs, in the order of their files. */
  inputs(): AsyncGenerator<PlannedInput, void, undefined>;
}

/**
 * Reads every input once: all must be JSON, and no two of them one case, before anything is run. One sentence where
 * they are not.
 */
export async function planInputs(request: InputRequest): Promise<Result<InputPlan, string>> {
  const { files, name, sample, seed } = request;
  const seen = new Map<string, { readonly hash: string; readonly whole: string; readonly place: string }>();
  const drawn = sample === undefined ? undefined : new LowestRanks<string>(sample);
  let duplicates = 0;
  for await (const found of readInputs(files)) {
    if (!found.ok) return found;
    const hash = caseHash(found.value);
    if (!hash.ok) return hash;
    const place = inputPlace(found.value);
    const key = caseName(name, found.value) ?? hash.value;
    const other = seen.get(key);
    const whole = wholeHash(found.value.input);
    if (other !== undefined && name === undefined && other.whole !== whole) {
      return err(
        `${other.place} and ${place} differ only in their secrets, which are hidden: they are one case. ` +
          'Give each a name: --name "{file}", or "{file}-{line}".',
      );
    }
    if (other !== undefined && other.hash !== hash.value) {
      return err(
        `--name ${quote(name ?? "")} gives ${other.place} and ${place} one name. ` +
          'Tell them apart: --name "{file}", or "{file}-{line}".',
      );
    }
    if (other !== undefined) duplicates += 1;
    else drawn?.offer(place, { rank: sampleRank(seed, found.value.input), key });
    if (other === undefined) seen.set(key, { hash: hash.value, whole, place });
  }
  const chosen = new Set(drawn?.chosen() ?? [...seen.values()].map(({ place }) => place));
  return ok({
    count: chosen.size,
    duplicates,
    leftOut: seen.size - chosen.size,
    inputs: () => chosenInputs(request, chosen),
  });
}

async function* chosenInputs(
  { files, name }: InputRequest,
  chosen: ReadonlySet<string>,
): AsyncGenerator<PlannedInput, void, undefined> {
  for await (const found of readInputs(files)) {
    // What was readable a moment ago and is not now was edited meanwhile.
    if (!found.ok) throw new Error(found.error);
    if (chosen.has(inputPlace(found.value))) yield { ...found.value, name: caseName(name, found.value) };
  }
}

/**
 * What tells a case of an input apart: its name, else the hash of the input as a baseline keeps it, without secrets.
 */
export function identityOfInput({ input, name }: Pick<PlannedInput, "input" | "name">): CaseIdentity {
  return name === undefined ? { inputHash: inputHashOf(currentRedactor().redact(input, ["input"]).value) } : { name };
}

function caseHash(found: FoundInput): Result<string, string> {
  try {
    return ok(inputHashOf(currentRedactor().redact(found.input, ["input"]).value));
  } catch (thrown) {
    return err(`${inputPlace(found)} cannot be an input: ${messageOf(thrown)}`);
  }
}

/** Tells inputs apart that differ in secrets alone. Kept in memory, never written. */
function wholeHash(input: unknown): string {
  return hashText(stableStringify(input));
}

function caseName(template: string | undefined, { path, line }: FoundInput): string | undefined {
  return template?.replaceAll("{file}", inputLabel({ path, line: undefined })).replaceAll("{line}", String(line ?? 1));
}

/** One input of a file. */
interface FoundInput {
  /** Absolute. */
  readonly path: string;
  /** Counted from 1; undefined where the file is one input. */
  readonly line: number | undefined;
  readonly input: unknown;
}

/**
 * Reads the inputs of files one after the other: a file of JSON is one, a file of lines one for each line that is not
 * blank.
 */
async function* readInputs(paths: Iterable<string>): AsyncGenerator<Result<FoundInput, string>, void, undefined> {
  for (const path of paths) {
    if (extname(path) === ".json") yield parsed(readText(path) ?? "", { path, line: undefined });
    else yield* readLines(path);
  }
}

async function* readLines(path: string): AsyncGenerator<Result<FoundInput, string>, void, undefined> {
  const stream = createReadStream(path, "utf8");
  let line = 0;
  try {
    // A file that cannot be opened says so here, and nowhere else.
    await once(stream, "open");
    for await (const text of createInterface({ input: stream, crlfDelay: Infinity })) {
      line += 1;
      if (text.trim() !== "") yield parsed(text, { path, line });
    }
  } finally {
    stream.destroy();
  }
}

function parsed(text: string, place: Pick<FoundInput, "path" | "line">): Result<FoundInput, string> {
  try {
    const input: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return ok({ ...place, input });
  } catch (thrown) {
    // The parser quotes the file.
    return err(
      `${inputPlace(place)} is no JSON: ${escapeText(messageOf(thrown)).replaceAll("\n", " ")}. ` +
        "Each .json file is one input, each line of a .jsonl file one.",
    );
  }
}

/** Where an input stands, for people: `inputs/a.json`, `inputs/all.jsonl:7`. */
export function inputPlace({ path, line }: Pick<FoundInput, "path" | "line">): string {
  return `${displayPath(path)}${line === undefined ? "" : `:${line}`}`;
}

/** What an input's case is called in file names: its file's name, and its line. */
export function inputLabel({ path, line }: Pick<FoundInput, "path" | "line">): string {
  const name = basename(path, extname(path));
  return line === undefined ? name : `${name}-${line}`;
}

/**
 * Where an input stands in the order that a seed draws: a hash of the seed and of what the input is, so that it
 * depends on no other input, and on no place or name of a file. Throws for an input that JSON cannot hold.
 */
export function sampleRank(seed: string, input: unknown): string {
  return hashText(JSON.stringify([seed, inputHashOf(input)]));
}

/**
 * Chooses so many of the items with the lowest ranks, whatever order they come in; of a growing collection a chosen one
 * leaves only for one that was added. Holds no more than it chooses.
 */
export class LowestRanks<T> {
  readonly #size: number;
  readonly #kept: { readonly rank: string; readonly key: string; readonly item: T }[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  /** Offers an item; `key` decides between equal ranks. */
  offer(item: T, { rank, key }: { readonly rank: string; readonly key: string }): void {
    const entry = { rank, key, item };
    const last = this.#kept.at(-1);
    if (this.#kept.length >= this.#size && (last === undefined || !before(entry, last))) return;
    const at = this.#kept.findIndex((kept) => before(entry, kept));
    this.#kept.splice(at === -1 ? this.#kept.length : at, 0, entry);
    if (this.#kept.length > this.#size) this.#kept.pop();
  }

  /** The chosen items, the lowest rank first. */
  chosen(): readonly T[] {
    return this.#kept.map(({ item }) => item);
  }
}

interface Ranked {
  readonly rank: string;
  readonly key: string;
}

function before(left: Ranked, right: Ranked): boolean {
  return left.rank === right.rank ? left.key < right.key : left.rank < right.rank;
}
