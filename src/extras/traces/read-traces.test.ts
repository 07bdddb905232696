// @module-tag deep
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { otlpStyle, recordsOf, exportedRun } from "../../../test-support/trace-exports.ts";
import type { ImportedRun } from "./runs-of-trace.ts";
import { factsOfTraces, importedRuns } from "./read-traces.ts";
import { otlpSource } from "./sources/otlp.ts";

const RUNS = [exportedRun("aa01", 1), exportedRun("aa02", 2), exportedRun("aa03", 3)];
const SPANS = RUNS.flatMap((run) => recordsOf(run, otlpStyle)).map(({ record }) => record);

async function* cut(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function runsIn(
  bytes: Uint8Array,
  isReadTwice = true,
): Promise<{ readonly runs: readonly ImportedRun[]; readonly told: readonly string[] }> {
  const told: string[] = [];
  const files = {
    *[Symbol.iterator]() {
      yield { name: "file", chunks: cut(bytes) };
    },
  };
  const reading = { source: otlpSource, onProblem: (problem: string) => void told.push(problem) };
  const facts = isReadTwice ? await factsOfTraces(files, { ...reading, isOfStep: () => true }) : undefined;
  const runs: ImportedRun[] = [];
  const stepOf = ({ names }: { readonly names: readonly string[] }): string | undefined =>
    names.find((name) => name === "desk");
  for await (const run of importedRuns(files, { ...reading, facts, stepOf, fallback: undefined })) runs.push(run);
  return { runs, told: [...new Set(told)] };
}

// The wire format of protobuf, written as its specification has it: protobuf.dev/programming-guides/encoding.
function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 0x80))];
}

function bytesField(number: number, value: Uint8Array | string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes]);
}

function fixed64(number: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return Buffer.concat([Buffer.from(varint(number * 8 + 1)), bytes]);
}

function anyValue(value: unknown): Buffer {
  const { stringValue, intValue } = isPlainObject(value) ? value : {};
  return typeof stringValue === "string"
    ? bytesField(1, stringValue)
    : Buffer.from([3 * 8, ...varint(Number(intValue))]);
}

/** A span of the test's as `Span` of opentelemetry-proto's `trace.proto`. */
function protobufSpan(span: Readonly<Record<string, unknown>>): Buffer {
  const id = (value: unknown): Buffer => Buffer.from(typeof value === "string" ? value : "", "hex");
  const attributes = isArray(span["attributes"]) ? span["attributes"].filter(isPlainObject) : [];
  return Buffer.concat([
    bytesField(1, id(span["traceId"])),
    bytesField(2, id(span["spanId"])),
    bytesField(4, id(span["parentSpanId"])),
    bytesField(5, String(span["name"])),
    Buffer.from([6 * 8, 1]),
    fixed64(7, BigInt(String(span["startTimeUnixNano"]))),
    ...attributes.map(({ key, value }) =>
      bytesField(9, Buffer.concat([bytesField(1, String(key)), bytesField(2, anyValue(value))])),
    ),
  ]);
}

/** `TracesData` with one span in each `ResourceSpans`. */
function tracesData(spans: readonly Readonly<Record<string, unknown>>[]): Buffer {
  const resource = bytesField(1, bytesField(1, bytesField(1, "service.name")));
  return Buffer.concat(
    spans.map((span) =>
      bytesField(
        1,
        Buffer.concat([
          resource,
          bytesField(
            2,
            bytesField(
              2,
              protobufSpan({ ...span, spanId: hexId(span["spanId"]), parentSpanId: hexId(span["parentSpanId"]) }),
            ),
          ),
        ]),
      ),
    ),
  );
}

/** Ids of the tests are words; on the wire they are bytes. */
function hexId(id: unknown): string {
  return typeof id === "string" ? Buffer.from(id).toString("hex") : "";
}

describe("OTLP traces", () => {
  test("are the same in protobuf, with or without length prefixes, as in JSON", async () => {
    const json = await runsIn(Buffer.from(otlpStyle.file(SPANS)));
    expect(json.told).toEqual([]);
    expect(json.runs.map(({ trace, calls, missing }) => ({ trace, calls: calls.length, missing }))).toEqual(
      RUNS.map(({ trace }) => ({ trace, calls: 6, missing: [] })),
    );
    expect(await runsIn(tracesData(SPANS))).toEqual(json);
    const framed = SPANS.map((span) => {
      const message = tracesData([span]);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(message.length);
      return Buffer.concat([length, message]);
    });
    expect(await runsIn(Buffer.concat(framed))).toEqual(json);
  });

  test("are read from a pipe once, and report a cut-off end", async () => {
    const whole = await runsIn(Buffer.from(otlpStyle.file(SPANS)), false);
    expect(whole.runs).toHaveLength(3);
    const bytes = tracesData(SPANS);
    expect((await runsIn(bytes.subarray(0, bytes.length - 10), false)).told).toEqual([
      "file ends in the middle of a record, so it is incomplete.",
    ]);
  });

  test("are read in the memory of the open ones, for any length of the file", () => {
    // A heap in which the file itself has no room.
    const script = `
      const { otlpStyle, recordsOf, exportedRun } = await import("${join(import.meta.dirname, "../../../test-support/trace-exports.ts")}");
      const { factsOfTraces, importedRuns, TRACE_SOURCES } = await import("${join(import.meta.dirname, "read-traces.ts")}");
      const pad = "lorem ipsum ".repeat(1000);
      async function* chunks() {
        for (let at = 0; at < 600; at += 1)
          for (const { record } of recordsOf({ ...exportedRun((at + 1).toString(16).padStart(8, "0"), at), question: pad + at }, otlpStyle).toReversed()) yield Buffer.from(otlpStyle.file([record]));
      }
      let bytes = 0;
      for await (const chunk of chunks()) bytes += chunk.length;
      const files = { *[Symbol.iterator]() { yield { name: "file", chunks: chunks() }; } };
      const reading = { source: TRACE_SOURCES.get("otlp"), tell: (problem) => { throw new Error(problem); } };
      const facts = await factsOfTraces(files, { ...reading, isOfStep: () => true });
      let runs = 0;
      for await (const { calls, missing } of importedRuns(files, { ...reading, facts, stepOf: ({ names }) => names.find((name) => name === "desk"), fallback: undefined }))
        if (calls.length === 6 && missing.length === 0) runs += 1;
      console.log(JSON.stringify({ runs, isLong: bytes > 30e6 }));
    `;
    const flags = ["--max-old-space-size=24", "--max-semi-space-size=2", "--input-type=module", "-e", script];
    expect(JSON.parse(execFileSync(process.execPath, flags, { encoding: "utf8" }))).toEqual({
      runs: 600,
      isLong: true,
    });
  });
});
