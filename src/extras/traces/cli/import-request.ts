import { createReadStream, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { quote } from "../../../kernel/text.ts";
import { displayPath } from "../../../baseline/baseline-library.ts";
import { listNames } from "../../../kernel/files/read.ts";
import { type TraceFiles, TRACE_SOURCES } from "../read-traces.ts";
import type { TraceSource } from "../sources/source.ts";
import { type CommandInput, limitOf } from "../../../cli/terminal/command-input.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import { sinceOption } from "../../../cli/parse-since.ts";
import { type CaptureChoices, captureOptions } from "../../../cli/cases/capture-request.ts";
import { sampleOf, defaultTimeout } from "../../../cli/cases/check-request.ts";

/** Options of an import. */
export interface ImportRequest extends CaptureChoices {
  /** Name of the source on the command line. */
  readonly name: string;
  readonly source: TraceSource;
  readonly files: TraceFiles;
  /** True if the files can be read twice. */
  readonly isRereadable: boolean;
  readonly step: string | undefined;
  readonly since: number | undefined;
  readonly limit: number;
  readonly sample: number | undefined;
  readonly seed: string;
  readonly timeoutMs: number;
}

/** Reads the operands and options of an import; returns a sentence if one is invalid. */
export function importRequest(input: CommandInput, io: CliIo): Result<ImportRequest, string> {
  const [name = "", path = ""] = input.operands;
  const source = TRACE_SOURCES.get(name);
  if (source === undefined)
    return err(`There is no source ${quote(name)}. Use ${[...TRACE_SOURCES.keys()].join(", ")}.`);
  const how = captureOptions(input);
  if (!how.ok) return how;
  const sampling = sampleOf(input);
  if (!sampling.ok) return sampling;
  const limit = limitOf(input);
  if (!limit.ok) return limit;
  const since = sinceOption(input);
  if (!since.ok) return since;
  const isRereadable = path !== "-";
  if (!isRereadable && sampling.value.sample !== undefined)
    return err("--sample reads the traces twice, which isn't possible for piped input. Pass a file.");
  const files = isRereadable
    ? filesAt(resolve(io.cwd, path))
    : ok([{ name: "The piped input", chunks: bytesOf(io.stdin) }]);
  if (!files.ok) return files;
  const { timeoutMs = defaultTimeout("replay") } = how.value;
  return ok({
    ...how.value,
    ...sampling.value,
    name,
    source,
    files: files.value,
    isRereadable,
    step: input.text("step"),
    since: since.value,
    limit: limit.value ?? Infinity,
    timeoutMs,
  });
}

/** Returns a file, or the files of an export's directory. */
function filesAt(path: string): Result<TraceFiles, string> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined)
    return err(`${quote(displayPath(path))} doesn't exist. Pass a file, a directory, or - for standard input.`);
  const names = stats.isDirectory()
    ? listNames(path)
        .filter((name) => EXPORT.test(name))
        .map((name) => join(path, name))
    : [path];
  const paths = names.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
  if (paths.length === 0)
    return err(
      `${quote(displayPath(path))} doesn't contain an export: no file ends in .json, .jsonl, .ndjson, .pb or .bin.`,
    );
  return ok(
    paths.map((path) => ({
      name: displayPath(path),
      get chunks() {
        return createReadStream(path);
      },
    })),
  );
}

const EXPORT = /\.(?:json|jsonl|ndjson|pb|binpb|bin)$/i;

async function* bytesOf(stdin: AsyncIterable<unknown>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of stdin) yield chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
}
