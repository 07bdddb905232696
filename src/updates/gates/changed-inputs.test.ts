import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createStepBaseline } from "../../baseline/create-baseline.ts";
import { caseFileName, caseHash } from "../../baseline/baseline-paths.ts";
import { identityOf } from "../../baseline/baseline.ts";
import { hashText } from "../../kernel/json/hash.ts";
import { serializeBaseline } from "../../baseline/serialize-baseline.ts";
import { type Command, emit } from "../../kernel/step/command.ts";
import { encode } from "../../record/encode/encode.ts";
import type { AuditEvent } from "../../kernel/step/context.ts";
import { putBaseline } from "../../../test-support/put-baseline.ts";
import { anything, oneOf, within } from "../../kernel/diff/tolerances.ts";
import { type CaseRules, caseRulesText } from "../../check/compare/case-rules.ts";
import { type PendingChange, pendingChange } from "../pending/pending-change.ts";
import { type UnusedBaseline, findChangedInputs, inputChangesOf } from "./changed-inputs.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-inputs-")));
const baselines = join(root, "__baselines__");

/** Responses of a model, or the status of its error. */
/** Responses of a model, or statuses of its errors; `other: …` is the response of another model. */
type Asks = readonly (string | number)[];

interface Given {
  readonly input: object;
  readonly output: object;
  readonly label?: string;
  readonly step?: string;
  readonly commands?: readonly Command[];
  readonly events?: readonly AuditEvent[];
  /** Requests to `tools.refund`. */
  readonly refunds?: readonly object[];
  readonly asks?: Asks;
  /** Rules of the check of the new case. */
  readonly rules?: Partial<CaseRules>;
}

const RESULT = {
  events: [],
  commands: [],
  artifacts: [],
  stepName: "triage",
  workflowId: "triage",
  workflowVersion: "1",
};

/** The file of a case: its path and text. */
function caseOf({
  input,
  output,
  label = "a ticket",
  step = "triage",
  commands = [],
  events = [],
  refunds = [],
  asks = [],
}: Given): {
  readonly path: string;
  readonly text: string;
} {
  const result = { ...RESULT, input, output, events, commands, stepName: step, workflowId: step };
  const calls = refunds.map((request, occurrence) => ({
    adapter: "tools.refund",
    occurrence,
    returns: "promise" as const,
    request: [request],
    response: "ok",
  }));
  const asked = asks.map((reply, occurrence) => ({
    adapter: String(reply).startsWith("other: ") ? "llm.fallback" : "llm.complete",
    occurrence: 0,
    returns: "promise" as const,
    request: [`${JSON.stringify(input)} ${occurrence}`],
    ...(typeof reply === "string" ? { response: reply } : { error: encode(statusError(reply)) }),
  }));
  const baseline = createStepBaseline(result, [...calls, ...asked], {});
  const path = join(baselines, step, caseFileName(label, caseHash(identityOf(baseline))));
  return { path, text: serializeBaseline(baseline) };
}

function statusError(status: number): Error {
  return Object.assign(new Error("the model failed"), { status });
}

function unused(given: Given, allTestsRan: boolean = true): UnusedBaseline {
  const { path, text } = caseOf(given);
  putBaseline(path, text);
  return { path, allTestsRan };
}

function added(given: Given): PendingChange {
  const { path, text } = caseOf(given);
  const rules = caseRulesText({ keyBy: {}, compare: {}, ...given.rules });
  const update = { kind: "add", root: baselines, path, group: "triage", before: undefined, after: text } as const;
  return pendingChange(
    { update, intent: "write", verdict: "missing", shown: [], ...(rules !== undefined && { rules }) },
    {
      projectRoot: root,
      testPath: join(root, "a.test.ts"),
      test: given.label ?? "a ticket",
      passed: true,
      run: "r",
      at: "2026-01-01T00:00:00.000Z",
    },
  );
}

const before = { input: { text: "help" }, output: { priority: "high" } };

test("pairs a new case with the unused one whose input and decision it changes, and names both", () => {
  const change = added({ input: { text: "help", locale: "de" }, output: { priority: "low" } });
  const earlier = unused(before);
  const pair = {
    ...change,
    verdict: "input_changed",
    shown: [
      '  + input.locale: "de"',
      '    output.priority: "high" → "low"',
      `    compared with ${basename(earlier.path)}`,
    ],
    shape: {
      kind: "input_changed",
      cause: null,
      lines: [
        { part: "input", path: "locale", before: { kind: "absent" }, after: { kind: "string" }, risk: "prose" },
        { part: "output", path: "priority", before: { kind: "string" }, after: { kind: "string" }, risk: "label" },
      ],
    },
  };
  const reason = `${change.target}: input changed (+ locale); output.priority: "high" → "low"`;
  const changes = [
    { part: "input", diff: { equal: false, entries: [{ path: ["locale"], before: undefined, after: "de" }] } },
    { part: "output", diff: { equal: false, entries: [{ path: ["priority"], before: "high", after: "low" }] } },
  ];
  expect(findChangedInputs([change], { unused: [earlier], root })).toStrictEqual([
    {
      added: change,
      change: { ...pair, replaces: basename(earlier.path), replacedHash: hashText(caseOf(before).text) },
      changes,
      reason,
      replaced: earlier.path,
      hasOutage: false,
    },
  ]);
  // A test that didn't run may use the earlier case: it stays.
  expect(findChangedInputs([change], { unused: [unused(before, false)], root })).toStrictEqual([
    { added: change, change: pair, changes, reason, replaced: earlier.path, hasOutage: false },
  ]);
});

test("compares commands as part of the decision", () => {
  const change = added({ input: { text: "help!" }, output: { priority: "high" }, commands: [emit("page", 1)] });
  expect(findChangedInputs([change], { unused: [unused(before)], root })[0]?.reason).toBe(
    `${change.target}: input changed (text); + commands["emit page"]: {"payload":1,"topic":"page","type":"emit"}`,
  );
});

test.each<[string, Pick<Given, "events" | "refunds">, Pick<Given, "events" | "refunds">, string]>([
  [
    "new writes",
    { refunds: [{ order: 7 }] },
    { refunds: [{ order: 7 }, { order: 8 }] },
    '+ calls.tools.refund: {"order":8}',
  ],
  ["a write that is gone", { refunds: [{ order: 7 }] }, {}, '- calls.tools.refund: {"order":7}'],
  [
    "another argument of a write",
    { refunds: [{ order: 7 }] },
    { refunds: [{ order: 9 }] },
    "calls.tools.refund.order: 7 → 9",
  ],
  ["a new event", {}, { events: [{ type: "alarm" }] }, '+ events[0]: {"type":"alarm"}'],
  ["an event that is gone", { events: [{ type: "paid" }] }, {}, '- events[0]: {"type":"paid"}'],
  [
    "another payload of an event",
    { events: [{ type: "paid", payload: { cents: 5 } }] },
    { events: [{ type: "paid", payload: { cents: 500 } }] },
    "events[0].payload.cents: 5 → 500",
  ],
])("pairs a new case that only has %s", (_what, old, now, reason) => {
  const output = { done: true };
  const change = added({ input: { text: "x", locale: "de" }, output, ...now });
  const earlier = unused({ input: { text: "x" }, output, ...old });
  expect(findChangedInputs([change], { unused: [earlier], root })[0]?.reason).toBe(
    `${change.target}: input changed (+ locale); ${reason}`,
  );
  const { path, text } = caseOf({ input: { text: "x", locale: "de" }, output, ...now });
  expect(
    inputChangesOf(new Map([[path, { input: {}, text, test: "a ticket" }]]), [earlier]).get(path)?.lines,
  ).toContain(reason);
});

test("leaves out fields of calls and events that pass on what the input changes", () => {
  const given = (customer: string, more: object): Given => ({
    input: { customer, text: "x", ...more },
    output: { done: true },
    refunds: [{ order: 7, of: customer, ...more }],
    events: [{ type: "refunded", payload: { to: customer } }],
  });
  const earlier = unused(given("ada", {}));
  expect(findChangedInputs([added(given("bob", { locale: "de" }))], { unused: [earlier], root })).toStrictEqual([]);
  const seen = (id: string): Given => ({ ...given("ada", {}), input: { id }, refunds: [{ path: `/orders/${id}` }] });
  expect(findChangedInputs([added(seen("B-2"))], { unused: [unused(seen("A-1"))], root })).toStrictEqual([]);
  // A flag of the input doesn't explain another one.
  const flagged = (vip: boolean): Given => ({ ...given("ada", {}), input: { vip }, refunds: [{ force: vip }] });
  expect(findChangedInputs([added(flagged(true))], { unused: [unused(flagged(false))], root })).toHaveLength(1);
  // A new call is a change, also with the new value alone.
  const change = added({ ...given("bob", {}), refunds: [{ order: 7, of: "bob" }, { of: "bob" }] });
  expect(findChangedInputs([change], { unused: [earlier], root })).toHaveLength(1);
});

test("compares the results by the rules of the check", () => {
  const given = (name: string, price: number, more: Partial<Given> = {}): Given => ({
    input: { name },
    output: {
      lines: [
        { sku: "A", price },
        { sku: "B", price: 2 },
      ],
      at: name,
    },
    refunds: [{ order: price }],
    events: [{ type: "read", payload: { ms: price } }],
    ...more,
  });
  const all = {
    keyBy: { lines: "sku" },
    compare: {
      at: oneOf("ada", "bob"),
      "lines.price": within(0.5),
      "events.payload.ms": anything(),
      "calls.tools.refund.order": within(1),
    },
  };
  const lines = [
    { sku: "B", price: 2 },
    { sku: "A", price: 1.25 },
  ];
  const reasonOf = (after: Partial<Given>, rules: Partial<CaseRules>): string | undefined => {
    const change = added(given("bob", 1.25, { ...after, rules }));
    return findChangedInputs([change], { unused: [unused(given("ada", 1))], root })[0]?.reason.replace(
      /.*\(name\); /,
      "",
    );
  };
  expect(reasonOf({ output: { lines, at: "bob" } }, all)).toBeUndefined();
  expect(reasonOf({ output: { lines: [...lines, { sku: "C" }], at: "bob" } }, all)).toBe(
    '+ output.lines.C: {"sku":"C"}',
  );
  const { "calls.tools.refund.order": _calls, ...compare } = all.compare;
  expect(reasonOf({}, { ...all, compare })).toBe("calls.tools.refund.order: 1 → 1.25");
  expect(reasonOf({}, { ...all, compare, calls: "none" })).toBeUndefined();
  expect(reasonOf({}, { ...all, compare, calls: "writes", roles: { "tools.refund": "read" } })).toBeUndefined();
  const own = { ...all, compare: { ...all.compare, at: () => true } };
  expect(reasonOf({ output: { lines, at: "eve" } }, own)).toBe('output.at: "ada" → "eve"');
  const unfit = { ...all, keyBy: { lines: "id" }, compare: { ...compare, "calls.**": anything() } };
  expect(reasonOf({}, unfit)).toBe('output.at: "ada" → "bob"; output.lines[0].price: 1 → 1.25');
});

test("compares the results by the rules of the project, which only the process of the test knows", () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const given = (name: string, total: number): Given => ({
    input: { name },
    output: { total },
    refunds: [{ order: total }],
  });
  const unusedCase = unused(given("ada", 1));
  vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ tolerance: 0.3, calls: "none" }));
  const [near, far] = [1.2, 2].map((total) => added(given("bob", total)));
  vi.unstubAllEnvs();
  const reasons = [near, far].map((change) =>
    findChangedInputs(change === undefined ? [] : [change], { unused: [unusedCase], root }).map(({ reason }) =>
      reason.replace(/.*\(name\); /, ""),
    ),
  );
  expect(reasons).toStrictEqual([[], ["output.total: 1 → 2"]]);
});

test.each<[string, Asks, object, Asks, string]>([
  [
    "another result",
    ["high"],
    { priority: "" },
    [503],
    'output.priority: "high" → ""; 1 request to a model failed (503)',
  ],
  ["the same result", ["high"], before.output, [503], "same result; 1 request to a model failed (503)"],
  ["a part of the responses", ["a", "b"], before.output, ["a", 429], "same result; 1 request to a model failed (429)"],
  [
    "another model for one of two",
    ["a", "b", "c"],
    before.output,
    [503, 503, "other: b"],
    "same result; 2 requests to a model failed (503)",
  ],
])("pairs a new case that lacks responses of a model with the one that has them: %s", (_how, asks, output, now, text) => {
  const change = added({ input: { text: "help!" }, output, asks: now });
  const earlier = unused({ ...before, asks });
  expect(findChangedInputs([change], { unused: [earlier], root })).toMatchObject([
    {
      replaced: earlier.path,
      hasOutage: true,
      reason:
        `${change.target}: input changed (text); ${text}, and the step handled the error. The baseline of the ` +
        "earlier input has a response. Run the test again when the model responds.",
      change: {
        verdict: "input_changed",
        shown: expect.arrayContaining([`    ${text.replace(/.*; /, "")}, and the step handled the error`]),
      },
    },
  ]);
});

test.each<[string, Asks, Asks]>([
  ["the earlier case has the same outage", [503], [503]],
  ["another model took over", ["high"], [503, "high"]],
  ["another model took over for each of fewer requests", ["a", "b", "c"], [503, "other: a", 503, "other: b"]],
  ["the earlier case has no response", [], [503]],
])("leaves out a new case that decides the same after an outage if %s", (_why, asks, now) => {
  const change = added({ input: { text: "help!" }, output: before.output, asks: now });
  expect(findChangedInputs([change], { unused: [unused({ ...before, asks })], root })).toStrictEqual([]);
});

test("names an outage of a case that CI can't capture", () => {
  const input = { text: "help!" };
  const { path, text } = caseOf({ input, output: before.output, asks: [503] });
  const earlier = unused({ ...before, asks: ["high"] });
  const newCase = { input, text, test: "a ticket" };
  expect(inputChangesOf(new Map([[path, newCase]]), [earlier]).get(path)?.lines).toStrictEqual([
    "input changed (text)",
    "same result",
    "1 request to a model failed (503), and the step handled the error",
  ]);
});

test.each<[string, Given]>([
  ["decides the same", { input: { text: "help?" }, output: before.output }],
  ["is of another test", { input: { text: "help?" }, output: { priority: "low" }, label: "another ticket" }],
  ["is of another step", { input: { text: "help?" }, output: { priority: "low" }, step: "answer" }],
])("doesn't pair a new case that %s", (_what, given) => {
  expect(findChangedInputs([added(given)], { unused: [unused(before)], root })).toStrictEqual([]);
});

const LONG = "extracts the receipt fields from scanned documents of low quality";

test.each<[string, string, string]>([
  ["损坏的灯", "重复扣款", "its title has no Latin letter"],
  ["Возврат денег", "Двойная оплата", "its title has no Latin letter"],
  ["退款 v2", "重复扣款 v2", "its title has letters that its label lacks"],
  ["🧾", "📦", "its title has only symbols"],
  ["???", "!", "its title has only punctuation"],
  [`${LONG}: total`, `${LONG}: tax`, "its label is cut"],
])("doesn't pair the new case of %j with that of %j, which may not have run: %s", (label, other) => {
  const earlier = { ...before, label: other };
  const change = added({ input: { text: "help?" }, output: { priority: "low" }, label });
  const pairs = (allTestsRan: boolean): readonly unknown[] =>
    findChangedInputs([change], { unused: [unused(earlier, allTestsRan)], root });
  expect(pairs(false)).toStrictEqual([]);
  // No test uses the earlier case, so the new one may replace it.
  expect(pairs(true)).toMatchObject([{ change: { replaces: basename(caseOf(earlier).path) } }]);
});

test("pairs cases whose titles differ in the value that the input changes, if all tests ran", () => {
  const earlier = { input: { text: "help me" }, output: { priority: "high" }, label: "case help me (1)" };
  const given = { input: { text: "help me now" }, output: { priority: "low" }, label: "case help me now (1)" };
  const change = added(given);
  const found = (other: Given, allTestsRan: boolean = true): readonly (string | undefined)[] =>
    findChangedInputs([change], { unused: [unused(other, allTestsRan)], root }).map(
      ({ change: { replaces } }) => replaces,
    );
  expect(found(earlier)).toStrictEqual([basename(caseOf(earlier).path)]);
  expect(found(earlier, false)).toStrictEqual([]);
  // Another row, and another test.
  expect(found({ ...earlier, label: "case help me (2)" })).toStrictEqual([]);
  expect(found({ ...earlier, label: "a refund" })).toStrictEqual([]);
  const many = Array.from({ length: 21 }, (_, index) => unused({ ...earlier, label: `row ${index}` }));
  expect(findChangedInputs([change], { unused: [...many, unused(earlier)], root })).toStrictEqual([]);
});

test("doesn't pair another row of a table, whose title contains its input", () => {
  const earlier = { input: { text: "banana" }, output: { priority: "high" }, label: "classifies banana" };
  const given = { input: { text: "server on fire" }, output: { priority: "low" }, label: "classifies server on fire" };
  expect(findChangedInputs([added(given)], { unused: [unused(earlier, true)], root })).toStrictEqual([]);
});

test("pairs a new case with a named one of its name, whatever its label says", () => {
  const named = (text: string, priority: string): { readonly path: string; readonly text: string } => {
    const baseline = createStepBaseline({ ...RESULT, input: { text }, output: { priority } }, [], { name: "损坏的灯" });
    return {
      path: join(baselines, "triage", caseFileName("case", text === "a" ? "aaaaaaaa" : "bbbbbbbb")),
      text: serializeBaseline(baseline),
    };
  };
  const [earlier, later] = [named("a", "high"), named("b", "low")];
  putBaseline(earlier.path, earlier.text);
  const cases = new Map([[later.path, { input: { text: "b" }, text: later.text, test: "损坏的灯" }]]);
  expect(inputChangesOf(cases, [{ path: earlier.path, allTestsRan: false }]).get(later.path)?.lines).toStrictEqual([
    "input changed (text)",
    'output.priority: "high" → "low"',
  ]);
});

test("pairs each of several cases with the nearest, and reports the rest as new", () => {
  const old = [
    { input: { text: "a", from: "x", to: "y" }, output: { priority: "high" } },
    { input: { text: "b", from: "z", to: "w" }, output: { priority: "low" } },
  ];
  const near = added({ input: { text: "b", from: "z", to: "v" }, output: { priority: "none" } });
  const other = added({ input: { text: "a", from: "x", to: "q" }, output: { priority: "none" } });
  const third = added({ input: { text: "new", from: "1", to: "2" }, output: { priority: "none" } });
  const found = findChangedInputs([third, near, other], { unused: old.map((given) => unused(given)), root });
  expect(found.map(({ change }) => change.target).toSorted()).toStrictEqual([near.target, other.target].toSorted());
});

test("compares a case that CI can't capture with the unused one, even if its result is equal or unknown", () => {
  const [path, text] = [caseOf({ input: { text: "help", locale: "de" }, output: {} }).path, "help"];
  const input = { text, locale: "de" };
  const changesTo = (output: object | undefined): unknown => {
    const newCase = { input, test: "a ticket", ...(output && { text: caseOf({ input, output }).text }) };
    const earlier = unused(before);
    const change = inputChangesOf(new Map([[path, newCase]]), [earlier]).get(path);
    expect(change?.earlier).toBe(basename(earlier.path));
    return [change?.lines, change?.changes.map(({ part }) => part)];
  };
  expect(changesTo({ priority: "low" })).toStrictEqual([
    ["input changed (+ locale)", 'output.priority: "high" → "low"'],
    ["input", "output"],
  ]);
  expect(changesTo(before.output)).toStrictEqual([["input changed (+ locale)", "same result"], ["input"]]);
  expect(changesTo(undefined)).toStrictEqual([
    ["input changed (+ locale)", "the result is unknown, because no responses are recorded for it"],
    ["input"],
  ]);
});

test("compares a new case with the unused one whose input is the most similar", () => {
  const texts = ["pay by card", "same", "card", "ticket 12"];
  const earlier = texts.map((text) => unused({ input: { text }, output: { priority: text } }));
  const nearest = (text: string): string | undefined => {
    const { path } = caseOf({ input: { text }, output: {} });
    const change = inputChangesOf(new Map([[path, { input: { text }, test: "a ticket" }]]), earlier).get(path);
    return texts[earlier.findIndex((each) => change?.earlier === basename(each.path))];
  };
  expect(["pay by cards", "ticket 13", "samE"].map(nearest)).toStrictEqual(["pay by card", "ticket 12", "same"]);
});
