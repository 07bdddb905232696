import { once } from "node:events";
import { createReadStream } from "node:fs";
import { basename, extname } from "node:path";
import { createInterface } from "node:readline";
import { hashText, hashValueSync } from "../../kernel/json/hash.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { escapeText, quote } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/error-message.ts";
import type { CaseIdentity } from "../../baseline/baseline.ts";
import { hiddenInput } from "../../baseline/create-baseline.ts";
import { displayPath } from "../../baseline/baseline-library.ts";
import { readText } from "../../kernel/files/read.ts";
import { inputHashOf } from "../../record/snapshot.ts";

/** Input files of a capture, and the names of their cases. */
interface InputRequest {
  /** Absolute paths. */
  readonly files: readonly string[];
  /** Template of case names: `{file}` is the file's name without its extension, `{line}` the line number. */
  readonly name: string | undefined;
  /** Sample size; undefined for all inputs. */
  readonly sample: number | undefined;
  readonly seed: string;
}

/** Input of a planned case. */
export interface PlannedInput extends FoundInput {
  readonly name: string | undefined;
}

/** Plan of a capture. It doesn't contain the inputs: they are read again when they run. */
export interface InputPlan {
  readonly count: number;
  /** Number of inputs equal to an earlier one. */
  readonly duplicates: number;
  /** Number of inputs outside the sample. */
  readonly notSampled: number;
  /** Reads the chosen inputs, in the order of their files. */
  inputs(): AsyncGenerator<PlannedInput, void, undefined>;
}

/**
 * Reads every input once, before the step runs. The error is one sentence if one isn't JSON, or if two inputs are the
 * same case.
 */
export async function planInputs(request: InputRequest): Promise<Result<InputPlan, string>> {
  const { files, name, sample, seed } = request;
  const seen = new Map<string, { readonly hash: string; readonly whole: string; readonly location: string }>();
  const ranked: Ranked[] = [];
  let duplicates = 0;
  for await (const result of readInputs(files)) {
    if (!result.ok) return result;
    const hash = hashOfInput(result.value);
    if (!hash.ok) return hash;
    const location = inputLocation(result.value);
    const key = caseName(name, result.value) ?? hash.value;
    const other = seen.get(key);
    // With its secrets, to distinguish inputs that differ only in them: kept in memory, never written.
    const whole = hashValueSync(result.value.input);
    if (other !== undefined && name === undefined && other.whole !== whole) {
      return err(
        `${other.location} and ${location} differ only in their redacted secrets, so they count as one case. ` +
          'Name each case: --name "{file}", or "{file}-{line}".',
      );
    }
    if (other !== undefined && other.hash !== hash.value) {
      return err(
        `--name ${quote(name ?? "")} gives ${other.location} and ${location} the same name. ` +
          'Use different names: --name "{file}", or "{file}-{line}".',
      );
    }
    if (other !== undefined) duplicates += 1;
    else if (sample !== undefined) ranked.push({ rank: sampleRank(seed, result.value.input), key, item: location });
    if (other === undefined) seen.set(key, { hash: hash.value, whole, location });
  }
  const all = [...seen.values()].map(({ location }) => location);
  const chosen = new Set(sample === undefined ? all : lowestRanks(ranked, sample));
  return ok({
    count: chosen.size,
    duplicates,
    notSampled: seen.size - chosen.size,
    inputs: () => chosenInputs(request, chosen),
  });
}

async function* chosenInputs(
  { files, name }: InputRequest,
  chosen: ReadonlySet<string>,
): AsyncGenerator<PlannedInput, void, undefined> {
  for await (const result of readInputs(files)) {
    // The file was edited after the first read.
    if (!result.ok) throw new Error(result.error);
    if (chosen.has(inputLocation(result.value))) yield { ...result.value, name: caseName(name, result.value) };
  }
}

/**
 * Returns the identity of an input's case: its name, or the hash of the input as a baseline stores it, without secrets.
 */
export function identityOfInput({ input, name }: Pick<PlannedInput, "input" | "name">): CaseIdentity {
  return name === undefined ? { inputHash: inputHashOf(hiddenInput(input)) } : { name };
}

function hashOfInput(input: FoundInput): Result<string, string> {
  try {
    return ok(inputHashOf(hiddenInput(input.input)));
  } catch (thrown) {
    return err(`${inputLocation(input)} can't be used as an input: ${messageOf(thrown)}`);
  }
}

function caseName(template: string | undefined, { path, line }: FoundInput): string | undefined {
  return template?.replaceAll("{file}", inputLabel({ path, line: undefined })).replaceAll("{line}", String(line ?? 1));
}

/** One input of a file. */
interface FoundInput {
  /** Absolute path. */
  readonly path: string;
  /** Line number from 1; undefined if the file is one input. */
  readonly line: number | undefined;
  readonly input: unknown;
}

/** Reads the inputs of files in order. A JSON file is one input; a file of lines has one per line that isn't empty. */
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
    // A file that can't be opened fails here.
    await once(stream, "open");
    for await (const text of createInterface({ input: stream, crlfDelay: Infinity })) {
      line += 1;
      if (text.trim() !== "") yield parsed(text, { path, line });
    }
  } finally {
    stream.destroy();
  }
}

function parsed(text: string, location: Pick<FoundInput, "path" | "line">): Result<FoundInput, string> {
  try {
    const input: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return ok({ ...location, input });
  } catch (thrown) {
    // The parser's message would quote the file.
    return err(
      `${inputLocation(location)} isn't JSON: ${escapeText(messageOf(thrown)).replaceAll("\n", " ")}. ` +
        "A .json file is one input. In a .jsonl file, each line is an input.",
    );
  }
}

/** Returns the location of an input for messages: `inputs/a.json`, `inputs/all.jsonl:7`. */
export function inputLocation({ path, line }: Pick<FoundInput, "path" | "line">): string {
  return `${displayPath(path)}${line === undefined ? "" : `:${line}`}`;
}

/** Returns the label of an input's case in file names: its file's name, and its line. */
export function inputLabel({ path, line }: Pick<FoundInput, "path" | "line">): string {
  const name = basename(path, extname(path));
  return line === undefined ? name : `${name}-${line}`;
}

/**
 * Returns the rank of an input in a seeded sample: a hash of the seed and of the input. It doesn't depend on other
 * inputs, or on the path of a file. Throws if the input can't be serialized as JSON.
 */
export function sampleRank(seed: string, input: unknown): string {
  return hashText(JSON.stringify([seed, inputHashOf(input)]));
}

/** An item of a sampled collection with its rank. */
export interface Ranked {
  readonly rank: string;
  /** Decides between equal ranks. */
  readonly key: string;
  readonly item: string;
}

/**
 * Selects the given number of items with the lowest ranks, the lowest first. If the collection grows, a selected item
 * is only replaced by a new one.
 */
export function lowestRanks(entries: readonly Ranked[], size: number): readonly string[] {
  const isBefore = (left: Ranked, right: Ranked): boolean =>
    left.rank === right.rank ? left.key < right.key : left.rank < right.rank;
  const sorted = entries.toSorted((left, right) => (isBefore(left, right) ? -1 : 1));
  return sorted.slice(0, size).map(({ item }) => item);
}
