import { once } from "node:events";
import { createReadStream } from "node:fs";
import { basename, extname } from "node:path";
import { createInterface } from "node:readline";
import { type Result, err, ok } from "../../base/result.ts";
import { escapeText } from "../../base/text.ts";
import { messageOf } from "../../base/thrown.ts";
import { displayPath } from "../../baseline/library.ts";
import { readText } from "../../files/read.ts";

/** One input of a file. */
export interface FoundInput {
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
export async function* readInputs(
  paths: Iterable<string>,
): AsyncGenerator<Result<FoundInput, string>, void, undefined> {
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
      `${inputPlace(place)} is no JSON: ${escapeText(messageOf(thrown)).replaceAll("\n", " ")}. Each .json file is one input, each line of a .jsonl file one.`,
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
