/**
 * Turns last night's failure into a pending change this morning: the telemetry of an agent of the AI SDK goes to a file, somebody
 * breaks its prompt, and `veritest import` reads both runs. Fails if the outcome differs from what README.md promises.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { OpenTelemetry } from "@ai-sdk/otel";
import { type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { registerTelemetry } from "ai";
import { run, unwrap } from "veritest/kernel";
import { PROMPTS, deskWith } from "./desk.ts";

/** Runs a command of veritest to its end and shows what it prints. */
function veritest(...args: readonly string[]): { readonly code: number | null; readonly out: string } {
  const cli = fileURLToPath(new URL("dist/cli.js", import.meta.resolve("veritest/package.json")));
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { encoding: "utf8" });
  console.log(`\n$ npx veritest ${args.join(" ")}\n${stdout}${stderr}`);
  return { code: status, out: stdout };
}

// Each run starts from nothing, with its pending changes in this directory.
process.chdir(import.meta.dirname);
for (const path of ["__baselines__", "state", "traces.jsonl"]) rmSync(path, { recursive: true, force: true });
process.env["VERITEST_STATE_DIR"] = "state";

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
      for (const span of spans) appendFileSync("traces.jsonl", `${otlpLine(span)}\n`);
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

function baselines(): readonly string[] {
  return existsSync("__baselines__") ? readdirSync("__baselines__/desk") : [];
}

await production();
const imported = veritest("import", "ai-sdk", "traces.jsonl");
assert.equal(imported.code, 0);
assert.match(imported.out, /\n2 runs: 2 pending \(1 with requests that differ from the trace\)\n/);
assert.match(veritest("import", "ai-sdk", "traces.jsonl").out, /^2 runs: 0 pending, 2 already pending\n/);
assert.deepEqual(baselines(), []);

// Somebody reads both: what the good prompt did is what is wanted, and what the broken one did is the bug.
const waiting: unknown = JSON.parse(veritest("pending", "--json").out);
const keyOf = (words: string): string => {
  const line = readFileSync("traces.jsonl", "utf8")
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
