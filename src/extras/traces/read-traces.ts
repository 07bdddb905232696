import { type Envelope, TraceFileError, jsonItems } from "./json-items.ts";
import { type ImportedRun, type StepOf, runsOfTrace } from "./imported-run.ts";
import type { Observation } from "./observation.ts";
import { protobufSpans } from "./otlp-protobuf.ts";
import { aiSdkSource, otlpSource } from "./sources/otlp.ts";
import { jsonlSource } from "./sources/jsonl.ts";
import { langfuseSource } from "./sources/langfuse.ts";
import { langsmithSource } from "./sources/langsmith.ts";
import { openaiSource } from "./sources/openai.ts";
import type { TraceSource } from "./sources/source.ts";

/** Every source, by the name that the command line has for it. */
export const TRACE_SOURCES: ReadonlyMap<string, TraceSource> = new Map([
  ["otlp", otlpSource],
  ["langfuse", langfuseSource],
  ["langsmith", langsmithSource],
  ["ai-sdk", aiSdkSource],
  ["openai", openaiSource],
  ["jsonl", jsonlSource],
]);

/** An observation, and how much of the file it was. */
interface SizedObservation {
  readonly observation: Observation;
  readonly bytes: number;
}

/** What a first reading of traces tells of one: how many observations it has, and whether one is of a step. */
export interface TraceFacts {
  count: number;
  isOfStep: boolean;
  /** When it began, as far as it tells. */
  at: number;
}

/** Streams of bytes, one for each file, with its name. */
export type TraceFiles = Iterable<{ readonly name: string; readonly chunks: AsyncIterable<Uint8Array> }>;

/** How traces are read. */
export interface TraceReading {
  readonly source: TraceSource;
  /** Hears what is wrong with a file, in one line: the others are read nonetheless. */
  readonly tell: (problem: string) => void;
}

/** Reads traces and keeps nothing of them but how many observations each has: so the second reading knows its end. */
export async function factsOfTraces(
  files: TraceFiles,
  reading: TraceReading & { readonly isOfStep: (observation: Observation) => boolean },
): Promise<ReadonlyMap<string, TraceFacts>> {
  const facts = new Map<string, TraceFacts>();
  for await (const { observation } of observationsOf(files, reading)) {
    const known = facts.get(observation.trace) ?? { count: 0, isOfStep: false, at: Infinity };
    known.count += 1;
    known.isOfStep ||= reading.isOfStep(observation);
    known.at = Math.min(known.at, observation.start);
    facts.set(observation.trace, known);
  }
  return facts;
}

/** Bytes of files that may wait for the rest of their traces. */
const MAX_WAITING = 8 * 1024 * 1024;

/**
 * Reads the runs of steps out of traces, one trace after the other, whatever the order of their spans. `facts` are
 * those of a first reading: with them a trace ends with its last span, and those they leave out are not read. Without
 * them one ends with the file, or when too much waits; a trace of which more comes then is told of as cut.
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

interface WaitingTrace {
  readonly seen: Observation[];
  bytes: number;
  isCut: boolean;
}

async function* traces(
  files: TraceFiles,
  reading: TraceReading & { readonly facts: ReadonlyMap<string, TraceFacts> | undefined },
): AsyncGenerator<Pick<WaitingTrace, "seen" | "isCut">, void> {
  const waiting = new Map<string, WaitingTrace>();
  const given = new Set<string>();
  let bytes = 0;
  const take = (trace: string): WaitingTrace | undefined => {
    const whole = waiting.get(trace);
    waiting.delete(trace);
    bytes -= whole?.bytes ?? 0;
    return whole;
  };
  for await (const { observation, bytes: size } of observationsOf(files, reading)) {
    const { trace } = observation;
    const facts = reading.facts?.get(trace);
    if (given.has(trace) || (reading.facts !== undefined && facts === undefined)) continue;
    const known = waiting.get(trace) ?? { seen: [], bytes: 0, isCut: false };
    // Last: those of which nothing came for the longest time are the first to go.
    waiting.delete(trace);
    waiting.set(trace, known);
    known.seen.push(observation);
    known.bytes += size;
    bytes += size;
    if (known.seen.length === facts?.count) yield take(trace) ?? known;
    for (const oldest of waiting.keys()) {
      if (bytes <= MAX_WAITING || waiting.size === 1) break;
      const cut = take(oldest);
      given.add(oldest);
      if (cut !== undefined) yield { ...cut, isCut: reading.facts !== undefined || !hasTop(cut.seen) };
    }
  }
  yield* waiting.values();
}

/** The span above all others ends last, and is written last. */
function hasTop(seen: readonly Observation[]): boolean {
  return seen.some(({ parent }) => parent === undefined);
}

async function* observationsOf(
  files: TraceFiles,
  { source, tell }: TraceReading,
): AsyncGenerator<SizedObservation, void> {
  for (const { name, chunks } of files) {
    try {
      for await (const { value, bytes } of recordsOf(chunks, source))
        yield* sizedObservations(source.observe(value), bytes);
    } catch (thrown) {
      if (!(thrown instanceof TraceFileError)) throw thrown;
      tell(`${name} ${thrown.message}.`);
    }
  }
}

function* sizedObservations(observations: readonly Observation[], bytes: number): Generator<SizedObservation, void> {
  for (const observation of observations) yield { observation, bytes: bytes / observations.length };
}

/** Beginnings of files that are packed, with what unpacks them. */
const PACKED: readonly (readonly [string, string, string])[] = [
  ["1f8b", "gzip", "gunzip -c"],
  ["504b0304", "zip", "unzip -p"],
  ["28b52ffd", "zstd", "zstd -dc"],
];

async function* recordsOf(
  chunks: AsyncIterable<Uint8Array>,
  { envelope }: { readonly envelope: Envelope },
): AsyncGenerator<{ readonly value: unknown; readonly bytes: number }, void> {
  const source: AsyncIterator<Uint8Array, unknown> = chunks[Symbol.asyncIterator]();
  const { done, value: first } = await source.next();
  if (done === true) return;
  const head = Buffer.from(first.subarray(0, 4)).toString("hex");
  const packed = PACKED.find(([magic]) => head.startsWith(magic));
  // What it unpacks to may be of any size: who unpacks it sees that.
  if (packed !== undefined)
    throw new TraceFileError(`is packed with ${packed[1]}: ${packed[2]} it into veritest import … -`);
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
    // A file that is no more read is not to stay open.
    await source.return?.();
  }
}

/** JSON begins with a bracket, whatever blanks stand before it; a message with the tag 0x0a and a length, or a zero. */
function isProtobuf(first: Uint8Array): boolean {
  if (first[0] === 0) return true;
  if (first[0] !== 0x0a) return false;
  const text = Buffer.from(first.subarray(0, 64)).toString("latin1").trimStart();
  return !/^(?:\{\s*["}]|\[\s*[[{\]])/.test(text);
}
