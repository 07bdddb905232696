/**
 * Last night's failure as a held baseline this morning: an agent of the AI SDK whose telemetry goes to a file, a prompt that
 * somebody breaks, and what `veritest import` makes of the two runs: `node examples/trace-inbox/run.ts`. Needs no key. Fails
 * where it does not come out as this page promises.
 */
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { OpenTelemetry } from "@ai-sdk/otel";
import { type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { registerTelemetry } from "ai";
import { unwrap } from "../../src/kernel/result.ts";
import { run } from "../../src/kernel.ts";
import { type Ended, createCliProject } from "../cli-project.ts";
import { PROMPTS, deskWith } from "./desk.ts";

const DESK = new URL("desk.ts", import.meta.url).href;
const project = createCliProject();
const { directory } = project;
const traces = join(directory, "traces.jsonl");

/** A span as OTLP has it in JSON, as the collector's file exporter would write it. */
function otlpLine(span: ReadableSpan): string {
  const { traceId, spanId } = span.spanContext();
  const nano = ([seconds, rest]: readonly [number, number]): string => `${seconds}${String(rest).padStart(9, "0")}`;
  const attributes = Object.entries(span.attributes).map(([key, value]) => ({
    key,
    value: typeof value === "string" ? { stringValue: value } : { stringValue: JSON.stringify(value) },
  }));
  const own = { traceId, spanId, parentSpanId: span.parentSpanContext?.spanId, name: span.name, attributes };
  const times = { startTimeUnixNano: nano(span.startTime), endTimeUnixNano: nano(span.endTime) };
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...own, ...times, status: {} }] }] }] });
}

/** What production does: the agent answers a customer, and its telemetry goes to a file. */
async function production(): Promise<void> {
  const exporter = {
    export: (spans: readonly ReadableSpan[], done: (result: { code: 0 }) => void) => {
      for (const span of spans) appendFileSync(traces, `${otlpLine(span)}\n`);
      done({ code: 0 });
    },
    shutdown: async () => undefined,
    forceFlush: async () => undefined,
  };
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  registerTelemetry(new OpenTelemetry({ tracer: provider.getTracer("desk") }));
  const asked = { good: "I want my money back.", broken: "I want more money back." };
  for (const day of ["good", "broken"] as const) {
    const { output } = unwrap(await run(deskWith(PROMPTS[day]), { text: asked[day] }, { adapters: {} }));
    console.log(`${day} prompt: ${output.text}`);
  }
  await provider.forceFlush();
}

const veritest = (...argv: readonly string[]): Ended => project.veritest(argv);

function baselines(): readonly string[] {
  return readdirSync(directory).includes("__baselines__") ? readdirSync(join(directory, "__baselines__/desk")) : [];
}

try {
  await production();
  // The next morning: the project's code still has the broken prompt.
  project.configure(`  const { PROMPTS, deskWith } = await import("${DESK}");
  return [deskWith(PROMPTS.broken)];`);

  const imported = veritest("import", "ai-sdk", "traces.jsonl");
  assert.equal(imported.code, 0);
  assert.match(imported.out, /\n2 runs: 2 held \(1 with requests that differ from the trace\)\n/);
  assert.match(veritest("import", "ai-sdk", "traces.jsonl").out, /^2 runs: 0 held, 2 waiting already\n/);
  assert.deepEqual(baselines(), []);

  // Somebody reads both: what the good prompt did is what is wanted, and what the broken one did is the bug.
  const waiting: unknown = JSON.parse(veritest("pending", "--json").out);
  const keyOf = (words: string): string => {
    const line = readFileSync(traces, "utf8")
      .split("\n")
      .find((one) => one.includes(words));
    const trace = /"traceId":"([0-9a-f]{32})"/.exec(line ?? "")?.[1];
    const change: unknown = [waiting].flat().find((one) => JSON.stringify(one).includes(`ai-sdk/${trace}`));
    return String(Reflect.get(Object(change), "key"));
  };
  assert.equal(veritest("accept", keyOf("You have 12 back."), "--reason", "as it should be").code, 0);
  assert.equal(veritest("reject", keyOf("You have 1200 back."), "--reason", "paid too much back").code, 0);
  assert.equal(baselines().length, 1);

  // The accepted run replays with its four calls, without a model and without paying anything.
  const replayed = veritest("replay");
  assert.equal(replayed.code, 0);
  assert.match(veritest("log", "--json").out, /"from": ?"ai-sdk\/[0-9a-f]{32}"/);
} finally {
  project.remove();
}
