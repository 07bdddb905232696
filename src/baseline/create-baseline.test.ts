import { expect, test } from "vitest";
import * as z from "zod";
import { hashValueSync, hashWithContentSync } from "../kernel/json/hash.ts";
import { unwrap } from "../kernel/result.ts";
import { recompute } from "../check/recompute.ts";
import { replay } from "../check/replay.ts";
import { withReplay } from "../record/with-replay.ts";
import { PLANTED_SECRETS } from "../../test-support/planted-secrets.ts";
import { emit } from "../kernel/step/command.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { defineStep } from "../kernel/step/define-step.ts";
import { createStepBaseline, storedJson, createValueBaseline } from "./create-baseline.ts";
import { type StepBaseline, snapshotOf } from "./baseline.ts";
import { parseBaseline } from "./parse-baseline.ts";
import { verifySerialized, serializeBaseline } from "./serialize-baseline.ts";

interface Llm {
  total(text: string): Promise<number>;
}

const step = defineStep({
  name: "read",
  input: z.object({ text: z.string(), at: z.date() }),
  output: z.object({ totals: z.array(z.number()) }),
  run: async ({ text }, ctx: StepContext<{ llm: Llm }>) => {
    ctx.onArtifact?.({ hash: "sha256:0", kind: "note" });
    const totals = [await ctx.adapters.llm.total(text), await ctx.adapters.llm.total(text)];
    return { output: { totals }, events: [{ type: "read" }], commands: [emit("b", 1), emit("a", 2)] };
  },
});

let asked = 0;
const llm: Llm = { total: async () => (asked += 1) };
const input = { text: "a", at: new Date(0) };

async function captured(): Promise<StepBaseline> {
  const { result, calls } = await withReplay(step, input, { adapters: { llm } });
  return createStepBaseline(unwrap(result), calls, { name: "march" });
}

/** What a later run has of a baseline: what its file says. */
function stored(baseline: StepBaseline): StepBaseline {
  const read = unwrap(parseBaseline(serializeBaseline(baseline), "a.json"));
  if (read.kind !== "step") throw new Error("a step baseline read as one of a value");
  return read;
}

test("a stored baseline replays to the same bytes, and is clean with the recorded responses", async () => {
  const snapshot = snapshotOf(stored(await captured()));
  expect(await replay(snapshot, step)).toStrictEqual({ ok: true, value: { kind: "identical" } });
  const answers = [...snapshot.artifacts]
    .filter(({ kind }) => kind === "adapter-call")
    .map(({ content }) => Reflect.get(Object(content), "response"));
  const served: Llm = { total: async () => Number(answers.shift()) };
  const recomputed = unwrap(await recompute(snapshot, step, { adapters: { llm: served } }));
  expect([recomputed.status, recomputed.comparable, recomputed.commandsDiff]).toStrictEqual([
    "clean",
    true,
    { equal: true, entries: [] },
  ]);
});

test("stores adapters' own artifacts first, then calls, then the kernel's, and content once", async () => {
  const { artifacts } = await captured();
  expect(artifacts.map(({ kind, content }) => [kind, content])).toStrictEqual([
    ["note", undefined],
    ["adapter-call", undefined],
    ["adapter-call", undefined],
    ["step-output", undefined],
    ["step-commands", undefined],
  ]);
});

test("the snapshot has the content of every artifact under its hash, and no time", async () => {
  const baseline = await captured();
  const snapshot = snapshotOf(baseline);
  expect(snapshot.capturedAt).toBe(0);
  expect(snapshot.artifacts.map(({ content }) => content)).toStrictEqual([
    undefined,
    ...baseline.calls,
    { output: baseline.output, events: baseline.events },
    baseline.commands,
  ]);
});

test("keeps commands in canonical order", async () => {
  expect((await captured()).commands).toStrictEqual([emit("a", 2), emit("b", 1)]);
});

test.each(["output", "events", "commands", "calls", "input"])("rejects an edit of %s", async (part) => {
  const baseline = await captured();
  const edits: Partial<Record<string, Partial<StepBaseline>>> = {
    output: { output: { totals: [7] } },
    events: { events: [{ type: "written" }] },
    commands: { commands: [emit("a", 3), emit("b", 1)] },
    calls: { calls: baseline.calls.map((call) => ({ ...call, response: 7 })) },
    input: { input: { text: "b", at: new Date(0) } },
  };
  const edited = { ...baseline, ...edits[part] };
  const replayed = await replay(snapshotOf(stored(edited)), step);
  expect(replayed.ok ? "replayed" : replayed.error.code).toBe(
    part === "input" ? "input_hash_mismatch" : "snapshot_corrupted",
  );
  expect(verifySerialized(serializeBaseline(edited))).toMatch(
    part === "input"
      ? /^"inputHash" doesn't match "input"$/
      : /^hash mismatch of (step-output|step-commands|adapter-call): expected sha256:/,
  );
});

test("detects changed meta JSON and an artifact with a wrong hash when it reads a file back", async () => {
  const baseline = await captured();
  expect(verifySerialized(serializeBaseline({ ...baseline, meta: { score: Number.NaN } }))).toBe(
    '"meta" is not an object of strings, numbers and booleans',
  );
  const foreign = { ...baseline, artifacts: [{ hash: "md5:1", kind: "note", content: 1 }, ...baseline.artifacts] };
  expect(verifySerialized(serializeBaseline(foreign))).toBe(
    "hash mismatch of note: expected md5:1, got sha256:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b",
  );
  const value = createValueBaseline(1, { test: "a.test.ts", name: "n" });
  expect(verifySerialized(serializeBaseline({ ...value, value: 2 }))).toBe(`"hash" doesn't match "value"`);
});

test("refuses content without a stored form, with its path", async () => {
  expect(() => createValueBaseline({ a: new Map() }, { test: "a.test.ts", name: "n" })).toThrow(
    new TypeError('JSON cannot represent a Map at "a". Convert it to plain data first'),
  );
  const { result, calls } = await withReplay(step, input, { adapters: { llm } });
  expect(() =>
    createStepBaseline({ ...unwrap(result), events: [{ type: "read", payload: () => 1 }] }, calls, {}),
  ).toThrow(new TypeError('a baseline can\'t store a function at "events[0].payload". Convert it to plain data'));
});

const key = PLANTED_SECRETS[0]?.text ?? "";

test("keeps the text and the hash of a value without a secret", () => {
  const value = { b: 1, a: "plain" };
  const known = { ...hashWithContentSync(value), hash: "the hash that was made" };
  expect(storedJson(value, known)).toStrictEqual({ hash: "the hash that was made", data: value });
  expect(storedJson(value)).toStrictEqual({ hash: hashValueSync(value), data: value });
});

test("writes and hashes a value with a secret again", () => {
  const value = { note: `with ${key}` };
  const { hash, data } = storedJson(value, hashWithContentSync(value));
  expect(data).toStrictEqual({ note: expect.stringMatching(/^with «redacted:openai-key#\d+»$/) });
  expect(hash).toBe(hashValueSync(data));
});

test("finds secrets in bytes, which JSON writes as numbers", () => {
  const value = { body: Buffer.from(`key=${key}`) };
  const { data } = storedJson(value, hashWithContentSync(value));
  const bytes: { readonly body: { readonly data: number[] } } = JSON.parse(JSON.stringify(data));
  expect(Buffer.from(bytes.body.data).toString()).toMatch(/^key=«redacted:openai-key#\d+»$/);
});

test("checks the current value for secrets, which its test may have changed", () => {
  const known = hashWithContentSync({ note: key });
  expect(storedJson({ note: "taken out" }, known)).toStrictEqual({
    hash: hashValueSync({ note: "taken out" }),
    data: { note: "taken out" },
  });
});
