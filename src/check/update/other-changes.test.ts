import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { ok } from "../../kernel/result.ts";
import { type CaseDetails, createValueBaseline } from "../../baseline/create-baseline.ts";
import type { BaselineLibrary, StoredCase } from "../../baseline/baseline-library.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { serializeBaseline } from "../../baseline/serialize-baseline.ts";
import { diff } from "../../kernel/diff/diff.ts";
import { shapeOfCheck } from "../../explain/check-findings.ts";
import { reviewLines } from "../../explain/check-lines.ts";
import { captureArtifactSync, inputHashOf } from "../../record/snapshot.ts";
import { type Command, emit, invoke, review } from "../../kernel/step/command.ts";
import type { AuditEvent, StepContext } from "../../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../../kernel/step/define-step.ts";
import type { CallScope } from "../../kernel/call-role.ts";
import { checkCase } from "../check-case.ts";
import { checkValue } from "../check-value.ts";
import { type StagedUpdate, stageUpdate } from "./stage-update.ts";
import { otherChanges } from "./other-changes.ts";
import { RevealedSecrets } from "../../redact/revealed-secrets.ts";
import { runCount } from "../../../test-support/run-count.ts";

/** A text that no other place of either run has, so that where it is written it can be looked for in what is shown. */
type Token = string;

interface Called {
  readonly adapter: "model" | "look" | "save";
  readonly request: Token | { readonly city: string; readonly unit?: string };
  readonly answer: Token;
  /** True where it ends in an error that says the answer. */
  readonly fails: boolean;
}

/** All that a run can leave in its file. */
interface Plan {
  /** A named case may be given another. */
  readonly input: Token;
  readonly items: readonly { readonly id: string; readonly value: Token }[];
  readonly note: Token;
  readonly events: readonly {
    readonly type: "paid" | "vera_checkpoint";
    readonly payload: Token;
    readonly trace: Token;
  }[];
  readonly commands: readonly {
    readonly kind: "emit" | "invoke" | "review";
    readonly topic: "a" | "b";
    readonly payload: Token;
  }[];
  readonly calls: readonly Called[];
  readonly artifacts: readonly Token[];
  readonly labels: readonly Token[];
  readonly meta: Token;
}

interface Adapters {
  readonly model: (request: Called["request"]) => Promise<Token>;
  readonly look: (request: Called["request"]) => Promise<Token>;
  readonly save: (request: Called["request"]) => Promise<Token>;
}

function stepOf(plan: Plan, calls: CallScope): AnyStep {
  return defineStep({
    name: "all",
    input: z.object({ text: z.string() }),
    output: z.object({ items: z.array(z.object({ id: z.string(), value: z.string() })), note: z.string() }),
    keyBy: { items: "id" },
    roles: { model: "model", look: "read", save: "write" },
    calls,
    run: async (_input, ctx: StepContext<Adapters>) => {
      for (const { adapter, request } of plan.calls) await ctx.adapters[adapter](request).catch(() => undefined);
      for (const content of plan.artifacts) ctx.onArtifact?.(captureArtifactSync("note", content));
      return {
        output: { items: [...plan.items], note: plan.note },
        events: plan.events.map(eventOf),
        commands: plan.commands.map(commandOf),
      };
    },
  });
}

function commandOf({ kind, topic, payload }: Plan["commands"][number]): Command {
  switch (kind) {
    case "emit":
      return emit(topic, payload);
    case "invoke":
      return invoke(topic, { payload });
    case "review":
      return review(topic, { payload });
  }
}

function eventOf({ type, payload, trace }: Plan["events"][number]): AuditEvent {
  const llmTrace = {
    model: trace,
    promptTokens: 1,
    completionTokens: 1,
    durationMs: 1,
    inputHash: "sha256:1",
    outputHash: "sha256:2",
  };
  return { type, payload: { payload, stateHash: `state ${trace}` }, llmTrace };
}

function adaptersOf({ calls }: Plan): Adapters {
  const left = [...calls];
  const answer = async (): Promise<Token> => {
    const call = left.shift();
    return call?.fails === true ? Promise.reject(new Error(call.answer)) : Promise.resolve(call?.answer ?? "none");
  };
  return { model: answer, look: answer, save: answer };
}

/** Checks a plan, and gives the text that is to be written with what is shown of it. */
async function settled(
  plan: Plan,
  { stored, writes, scope }: { readonly stored?: string; readonly writes: "all" | "none"; readonly scope: CallScope },
): Promise<StagedUpdate | undefined> {
  const path = "/r/__baselines__/all/a.json";
  const baseline: StoredCase | undefined =
    stored === undefined
      ? undefined
      : { path, file: "a.json", text: stored, baseline: parseBaseline(stored, "a.json") };
  const details: CaseDetails = { name: "n", labels: plan.labels, meta: { m: plan.meta } };
  const input = { text: plan.input };
  const responses = { kind: "live", adapters: adaptersOf(plan) } as const;
  const check = await checkCase(
    {
      step: stepOf(plan, scope),
      file: "a.json",
      path,
      stored: baseline,
      input: { value: input, hash: inputHashOf(input), isHidden: false, secrets: new RevealedSecrets() },
      details,
    },
    { root: "/r/__baselines__", responses, executesWrites: true, capture: { responses: responses, reviewOnly: false } },
    (found) => Promise.resolve(found),
  );
  const staged: StagedUpdate[] = [];
  const load = async (): ReturnType<Parameters<typeof stageUpdate>[2]["load"]> =>
    Promise.resolve({
      verifyUpdate: ({ propose }) => Promise.resolve(ok(propose())),
      reviewLines,
      shapeOfCheck,
      otherChanges,
    });
  await stageUpdate(check, { writes, keepsPending: true }, { stage: (kept) => void staged.push(kept), load });
  return staged[0];
}

/** Two runs: each place of the second is that of the first, another, gone, new, or elsewhere; in half only one field's. */
function twoRuns(): fc.Arbitrary<readonly [Plan, Plan]> {
  return fc
    .tuple(
      planOf("a"),
      planOf("b"),
      fc.infiniteStream(fc.integer({ min: 0, max: 9 })),
      fc.option(fc.constantFrom(...FIELDS)),
    )
    .map(([old, fresh, dice, only]) => {
      const rolls = dice[Symbol.iterator]();
      const stays = only === null ? 7 : 3;
      const roll = (): number => rolls.next().value ?? 0;
      const mixed = <T>(was: readonly T[], is: readonly T[]): readonly T[] => {
        const kept = was.flatMap((item, index) => (roll() < stays ? [item] : is.slice(index, index + 1)));
        return roll() < 2 ? kept.toReversed() : kept;
      };
      const one = <T>(was: T, is: T): T => (roll() < stays ? was : is);
      const parts = <T extends object>(was: readonly T[], is: readonly T[]): readonly T[] =>
        mixed(was, is).map((item) => Object.assign({}, item, roll() < 3 ? changedIn(item, roll) : {}));
      const now: Plan = {
        input: roll() < 8 ? old.input : fresh.input,
        items: unlike(parts(old.items, fresh.items)),
        note: one(old.note, fresh.note),
        events: parts(old.events, fresh.events),
        commands: parts(old.commands, fresh.commands),
        calls: parts(old.calls, fresh.calls),
        artifacts: mixed(old.artifacts, fresh.artifacts),
        labels: mixed(old.labels, fresh.labels),
        meta: one(old.meta, fresh.meta),
      };
      return [old, only === null ? now : { ...old, [only]: now[only] }];
    });
}

const FIELDS = ["input", "items", "note", "events", "commands", "calls", "artifacts", "labels", "meta"] as const;

/** Another token at one place of an item. */
function changedIn(item: object, roll: () => number): object {
  const places = Object.entries(item).filter(([, value]) => typeof value === "string" && /^\w+~/.test(value));
  const [name, value] = places[roll() % Math.max(1, places.length)] ?? [];
  return name === undefined ? {} : { [name]: `c${String(value)}` };
}

function unlike(items: Plan["items"]): Plan["items"] {
  return items.filter(({ id }, index) => items.findIndex((other) => other.id === id) === index);
}

function planOf(run: string): fc.Arbitrary<Plan> {
  let count = 0;
  const token = fc.constant(undefined).map((): Token => `${run}${(count += 1)}~`);
  const some = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> => fc.array(item, { maxLength: 3 });
  return fc.record({
    input: token,
    items: some(fc.record({ id: fc.constantFrom("x", "y", "z", "1"), value: token })).map(unlike),
    note: token,
    events: some(
      fc.record({ type: fc.constantFrom("paid" as const, "vera_checkpoint" as const), payload: token, trace: token }),
    ),
    commands: some(
      fc.record({
        kind: fc.constantFrom("emit" as const, "invoke" as const, "review" as const),
        topic: fc.constantFrom("a" as const, "b" as const),
        payload: token,
      }),
    ),
    calls: some(
      fc.record({
        adapter: fc.constantFrom("model" as const, "look" as const, "save" as const),
        request: token,
        answer: token,
        fails: fc.boolean(),
      }),
    ),
    artifacts: some(token),
    labels: some(token),
    meta: token,
  });
}

function tokensIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/c*[ab]\d+~/g) ?? []);
}

/** The fields of a file whose content is no hash of another's. */
function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  const { inputHash: _hash, artifacts, ...fields }: Record<string, unknown> = JSON.parse(text);
  const own = Array.isArray(artifacts) ? artifacts.filter((one: { kind: string }) => one.kind === "note") : [];
  return { ...fields, artifacts: own };
}

/** The acceptance's number in a full run; it takes a minute on a busy machine. */
const RUNS = process.env["VERITEST_FAULTS"] === "full" ? 5000 : 800;

test("never writes a change that wasn't shown, for any two runs and any field", { tags: "deep" }, async () => {
  let [told, beside] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      twoRuns(),
      fc.constantFrom("all" as const, "none" as const),
      fc.constantFrom<CallScope>("all", "writes", "none"),
      async ([old, now], writes, scope) => {
        const before = (await settled(old, { writes: "all", scope }))?.update.after ?? "";
        const staged = await settled(now, { stored: before, writes, scope });
        if (staged === undefined) return;
        const after = staged.update.after ?? "";
        const shown = staged.shown.join("\n");
        const [was, is] = [tokensIn(before), tokensIn(after)];
        const changed = [...was].filter((token) => !is.has(token)).concat([...is].filter((token) => !was.has(token)));
        const seen = tokensIn(shown);
        expect(changed.filter((token) => !seen.has(token))).toStrictEqual([]);
        if (JSON.stringify(fieldsOf(before)) !== JSON.stringify(fieldsOf(after))) expect(shown).not.toBe("");
        told += 1;
        beside += shown.includes("also written: ") ? 1 : 0;
      },
    ),
    { numRuns: RUNS },
  );
  expect(told).toBeGreaterThan(RUNS * 0.5);
  expect(beside).toBeGreaterThan(RUNS * 0.25);
});

const NOTHING: Plan = {
  input: "i",
  items: [],
  note: "n",
  events: [],
  commands: [],
  calls: [],
  artifacts: [],
  labels: [],
  meta: "m",
};

test("shows other written changes by path, with their field", async () => {
  const old: Plan = {
    ...NOTHING,
    items: [
      { id: "x", value: "1" },
      { id: "y", value: "2" },
    ],
    events: [{ type: "paid", payload: "p", trace: "gpt-a" }],
    calls: [
      { adapter: "model", request: "sum it up", answer: "old", fails: false },
      { adapter: "save", request: "s", answer: "saved", fails: false },
    ],
    artifacts: ["kept"],
  };
  const now: Plan = {
    ...old,
    items: old.items.toReversed(),
    note: "another",
    events: [{ type: "paid", payload: "p", trace: "gpt-b" }],
    calls: [
      { adapter: "model", request: "sum it up", answer: "new", fails: false },
      { adapter: "save", request: "t", answer: "saved again", fails: false },
    ],
    artifacts: ["kept anew"],
    labels: ["l"],
  };
  const before = (await settled(old, { writes: "all", scope: "all" }))?.update.after ?? "";
  const staged = await settled(now, { stored: before, writes: "none", scope: "all" });
  expect(staged?.shown).toStrictEqual([
    '    note: "n" → "another"',
    '    events[0].payload.stateHash: "state gpt-a" → "state gpt-b"',
    '    save: "s" → "t"',
    '  + also written: labels[0]: "l"',
    '    also written: output.items["(order)"]: ["x","y"] → ["y","x"]',
    '    also written: events[0].llmTrace.model: "gpt-a" → "gpt-b"',
    '    also written: calls[0].response: "old" → "new"',
    '    also written: calls[1].response: "saved" → "saved again"',
    '    also written: artifacts[1].content: "kept" → "kept anew"',
  ]);
});

test.each([
  ["removed", { city: "Rome", unit: "C" }, { city: "Rome" }, '  - look: unit: "C"'],
  ["added", { city: "Rome" }, { city: "Rome", unit: "C" }, '  + look: unit: "C"'],
  ["changed", { city: "Rome", unit: "C" }, { city: "Rome", unit: "F" }, '    look: unit: "C" → "F"'],
])("shows once that the field of a request was %s, also if its call moved up", async (_how, was, is, line) => {
  const plan: Plan = {
    input: "i",
    items: [],
    note: "n",
    events: [],
    commands: [],
    calls: [
      { adapter: "save", request: "s", answer: "saved", fails: false },
      { adapter: "look", request: was, answer: "cold", fails: false },
    ],
    artifacts: [],
    labels: [],
    meta: "m",
  };
  const before = (await settled(plan, { writes: "all", scope: "all" }))?.update.after ?? "";
  const now: Plan = { ...plan, calls: [{ adapter: "look", request: is, answer: "cold", fails: false }] };
  const staged = await settled(now, { stored: before, writes: "none", scope: "all" });
  expect(staged?.shown).toStrictEqual([
    '  - save("s")  write, gone',
    line,
    '  - also written: calls[0].adapter: "save"',
    '  - also written: calls[0].response: "saved"',
    "    also written: `occurrence` of 1 call",
    "    also written: `returns` of 1 call",
  ]);
});

test("shows a value's new order with its changes", async () => {
  const path = "/r/__baselines__/a/v.json";
  const library = (text: string | undefined): BaselineLibrary => ({
    root: "/r/__baselines__",
    find: () => ({
      path,
      stored: text === undefined ? undefined : { path, file: "v.json", text, baseline: parseBaseline(text, "v.json") },
    }),
    all: () => [],
    each: () => [],
    files: () => ({ names: () => [], redactedNames: () => [], read: () => undefined }),
  });
  const question = { test: "a.test.ts", details: { name: "v" }, keyBy: { l: "id" } };
  const before = checkValue({ l: [{ id: 1 }, { id: 2, a: 1 }] }, question, library(undefined)).update?.propose().after;
  const check = checkValue({ l: [{ id: 2, a: 2 }, { id: 1 }] }, question, library(before));
  const beside = otherChanges({ ...check.update, ...check, before, after: check.update?.propose().after });
  const propose = (): never => expect.fail("not proposed");
  expect(reviewLines({ ...check, update: { propose, otherChanges: beside } })).toStrictEqual([
    "    l.2.a: 1 → 2",
    '    also written: value.l["(order)"]: ["1","2"] → ["2","1"]',
  ]);
});

test("of a value without keys it reports what differs in all fields but the value, in any layout", () => {
  const texts = fc.array(fc.constantFrom("a", 'b\n  "value": 1', "c"), { maxLength: 2 });
  const side = fc.record({ value: fc.constantFrom<unknown>(1, { value: 2 }, [3]), labels: texts, note: fc.boolean() });
  const text = ({ value, labels, note }: { value: unknown; labels: readonly string[]; note: boolean }): string =>
    serializeBaseline(
      createValueBaseline(value, { test: "a.test.ts", name: "v", labels, meta: note ? { value: 1 } : {} }),
    );
  fc.assert(
    fc.property(side, side, fc.constantFrom(0, 1, 2), (was, is, indent) => {
      const before = JSON.stringify(JSON.parse(text(was)), undefined, indent);
      const told = otherChanges({ before, after: text(is), verdict: { kind: "missing" } });
      const expected = (["labels", "meta"] as const).flatMap((field) => {
        const [old, now] = [before, text(is)].map((file): unknown => JSON.parse(file)[field]);
        return diff(old, now).entries.map((entry) => ({ ...entry, path: [field, ...entry.path] }));
      });
      expect(told).toStrictEqual(expected);
    }),
    { numRuns: runCount(10_000) },
  );
});
