import { isArray, isPlainObject, typeName } from "../../kernel/json/plain-data.ts";
import { quote } from "../../kernel/text.ts";
import { currentRedactor } from "../../redact/current-redactor.ts";
import { type Envelope, TraceFileError, jsonItems } from "./json-items.ts";
import { earliest } from "./merge-observations.ts";
import { type ImportedRun, type StepOf, runsOfTrace } from "./runs-of-trace.ts";
import type { Observation } from "./observation.ts";
import { protobufSpans } from "./otlp-protobuf.ts";
import { aiSdkSource, otlpSource } from "./sources/otlp.ts";
import * as sources from "./sources/sources.ts";
import type { TraceSource } from "./sources/source.ts";

/** Sources, by their names on the command line. */
export const TRACE_SOURCES: ReadonlyMap<string, TraceSource> = new Map(
  Object.values<TraceSource>(sources).map((source) => [source.name, source]),
);

/** An observation, and its size in the file. */
interface SizedObservation {
  readonly observation: Observation;
  readonly bytes: number;
}

/** Facts about a trace from a first reading: the number of its observations, and whether one belongs to a step. */
export interface TraceFacts {
  count: number;
  isOfStep: boolean;
  /** Time of its start; 0 if unknown. */
  at: number;
}

/** Streams of bytes, one per file, with the file's name. */
export type TraceFiles = Iterable<{ readonly name: string; readonly chunks: AsyncIterable<Uint8Array> }>;

/** Options for reading traces. */
export interface TraceReading {
  readonly source: TraceSource;
  /** Receives a problem with a file, in one line. The other files are still read. */
  readonly onProblem: (problem: string) => void;
}

/**
 * Reads traces and keeps only the number of observations of each, so that the second reading knows where a trace
 * ends.
 */
export async function factsOfTraces(
  files: TraceFiles,
  reading: TraceReading & { readonly isOfStep: (observation: Observation) => boolean },
): Promise<ReadonlyMap<string, TraceFacts>> {
  const facts = new Map<string, TraceFacts>();
  for await (const { observation } of observationsOf(files, reading)) {
    const known = facts.get(observation.trace) ?? { count: 0, isOfStep: false, at: 0 };
    known.count += 1;
    known.isOfStep ||= reading.isOfStep(observation);
    known.at = earliest(known.at, observation.start);
    facts.set(observation.trace, known);
  }
  return facts;
}

/** Maximum bytes of incomplete traces in memory. */
const MAX_PENDING = 8 * 1024 * 1024;

/**
 * Yields the runs of steps in traces, trace by trace, in any order of their spans. With the `facts` of a first
 * reading, a trace ends with its last span, and traces without facts are skipped. Without them, a trace ends with the
 * file, or if too much is in memory; if more of it follows, it's reported as cut.
 */
export async function* importedRuns(
  files: TraceFiles,
  reading: TraceReading & {
    readonly facts: ReadonlyMap<string, TraceFacts> | undefined;
    readonly stepOf: StepOf;
    readonly fallback: string | undefined;
  },
): AsyncGenerator<ImportedRun, void> {
  for await (const { seen, isCut } of traces(files, reading)) yield* runsOfTrace(seen, { ...reading, isCut });
}

interface PendingTrace {
  readonly seen: Observation[];
  bytes: number;
  isCut: boolean;
}

async function* traces(
  files: TraceFiles,
  reading: TraceReading & { readonly facts: ReadonlyMap<string, TraceFacts> | undefined },
): AsyncGenerator<Pick<PendingTrace, "seen" | "isCut">, void> {
  const pending = new Map<string, PendingTrace>();
  const finished = new Set<string>();
  let bytes = 0;
  const take = (trace: string): PendingTrace | undefined => {
    const whole = pending.get(trace);
    pending.delete(trace);
    bytes -= whole?.bytes ?? 0;
    return whole;
  };
  for await (const { observation, bytes: size } of observationsOf(files, reading)) {
    const { trace } = observation;
    const facts = reading.facts?.get(trace);
    if (finished.has(trace) || (reading.facts !== undefined && facts === undefined)) continue;
    const known = pending.get(trace) ?? { seen: [], bytes: 0, isCut: false };
    // Last: the traces with the oldest additions are dropped first.
    pending.delete(trace);
    pending.set(trace, known);
    known.seen.push(observation);
    known.bytes += size;
    bytes += size;
    if (known.seen.length === facts?.count) yield take(trace) ?? known;
    for (const oldest of pending.keys()) {
      if (bytes <= MAX_PENDING || pending.size === 1) break;
      const cut = take(oldest);
      finished.add(oldest);
      if (cut !== undefined) yield { ...cut, isCut: reading.facts !== undefined || !hasTop(cut.seen) };
    }
  }
  yield* pending.values();
}

/** The top span ends last, and is written last. */
function hasTop(seen: readonly Observation[]): boolean {
  return seen.some(({ parent }) => parent === undefined);
}

async function* observationsOf(
  files: TraceFiles,
  { source, onProblem }: TraceReading,
): AsyncGenerator<SizedObservation, void> {
  const empty: string[] = [];
  let hasRecords = false;
  for (const { name, chunks } of files) {
    const head: FileHead = { bytes: new Uint8Array(), fields: undefined };
    let isOfSource = false;
    let problem: string | undefined;
    const observe = source.observer(name);
    try {
      for await (const { value, bytes } of recordsOf(chunks, source, head)) {
        head.fields ??= fieldsOf(value);
        const observations = observe(value);
        isOfSource ||= observations.length > 0;
        yield* sizedObservations(observations, bytes);
      }
    } catch (thrown) {
      if (!(thrown instanceof TraceFileError)) throw thrown;
      problem = thrown.message;
    }
    const other = isOfSource || head.bytes.length === 0 ? undefined : otherSource(head, source);
    if (other !== undefined)
      onProblem(`${name} looks like an export of ${other.title}. Run: npx veritest import ${other.name} ${name}`);
    else if (problem !== undefined) onProblem(`${name} ${problem}.`);
    else if (!isOfSource && head.fields !== undefined && !source.signs.test(textOf(head)))
      onProblem(
        `${name} isn't an export of ${source.title}: its first record has ${head.fields}. ` +
          "Use a different source, or write one line for each run and use the source jsonl.",
      );
    else if (head.fields === undefined) empty.push(name);
    hasRecords ||= head.fields !== undefined;
  }
  // The last page of an export may be empty.
  if (hasRecords) return;
  for (const name of empty)
    onProblem(
      `${name} looks like an empty export of ${source.title}: it has no records. ` +
        "Export a time range that contains traces.",
    );
}

/** The beginning of a file. */
interface FileHead {
  bytes: Uint8Array;
  /** Description of the first record. */
  fields: string | undefined;
}

/** Bytes at the beginning of a file by which a source is recognized. */
const HEAD_BYTES = 64 * 1024;
const MAX_FIELDS = 6;

function textOf({ bytes }: FileHead): string {
  return Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString("latin1");
}

/** Returns another source by whose signs a file begins. */
function otherSource(head: FileHead, source: TraceSource): TraceSource | undefined {
  const text = textOf(head);
  if (source.signs.test(text)) return undefined;
  // The signs of the AI SDK are those of OpenTelemetry.
  return [...TRACE_SOURCES.values()].find((each) => each.name !== aiSdkSource.name && each.signs.test(text));
}

function fieldsOf(record: unknown): string {
  if (!isPlainObject(record)) return `no fields, because it is ${typeName(record)}`;
  const names = Object.keys(record);
  const quoted = names.slice(0, MAX_FIELDS).map((name) => {
    const value = record[name];
    const isEmpty = isArray(value) && value.length === 0;
    return `${quote(currentRedactor().redactText(name))}${isEmpty ? " (empty)" : ""}`;
  });
  return `the fields ${quoted.join(", ")}${names.length > MAX_FIELDS ? ", …" : ""}`;
}

function* sizedObservations(observations: readonly Observation[], bytes: number): Generator<SizedObservation, void> {
  for (const observation of observations) yield { observation, bytes: bytes / observations.length };
}

/** First bytes of compressed files, with the command that unpacks them. */
const PACKED: readonly (readonly [string, string, string])[] = [
  ["1f8b", "gzip", "gunzip -c"],
  ["504b0304", "zip", "unzip -p"],
  ["28b52ffd", "zstd", "zstd -dc"],
];

async function* recordsOf(
  chunks: AsyncIterable<Uint8Array>,
  { envelope }: { readonly envelope: Envelope },
  head: FileHead,
): AsyncGenerator<{ readonly value: unknown; readonly bytes: number }, void> {
  const source: AsyncIterator<Uint8Array, unknown> = chunks[Symbol.asyncIterator]();
  const { done, value: first } = await source.next();
  if (done === true) return;
  const magic = Buffer.from(first.subarray(0, 4)).toString("hex");
  const packed = PACKED.find(([begin]) => magic.startsWith(begin));
  // The file isn't unpacked here, because the unpacked data may be of any size.
  if (packed !== undefined)
    throw new TraceFileError(
      `is compressed with ${packed[1]}. Unpack it first: ${packed[2]} <file> | npx veritest import <source> -`,
    );
  head.bytes = first;
  const again = resumed(first, source);
  yield* envelope === otlpSource.envelope && isProtobuf(first) ? protobufSpans(again) : jsonItems(again, envelope);
}

async function* resumed(
  first: Uint8Array,
  source: AsyncIterator<Uint8Array, unknown>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield first;
    for (;;) {
      const { done, value } = await source.next();
      if (done === true) return;
      yield value;
    }
  } finally {
    // Closes a file that is no longer read.
    await source.return?.();
  }
}

/** JSON begins with a bracket, after any spaces; a message begins with the tag 0x0a and a length, or with a zero. */
function isProtobuf(first: Uint8Array): boolean {
  if (first[0] === 0) return true;
  if (first[0] !== 0x0a) return false;
  const text = Buffer.from(first.subarray(0, 64)).toString("latin1").trimStart();
  return !/^(?:\{\s*["}]|\[\s*[[{\]])/.test(text);
}
