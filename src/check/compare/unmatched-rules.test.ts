import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { openLibrary } from "../../baseline/baseline-library.ts";
import { putBaseline } from "../../../test-support/put-baseline.ts";
import { unwrap } from "../../kernel/result.ts";
import type { AuditEvent, StepContext } from "../../kernel/step/context.ts";
import { defineStep } from "../../kernel/step/define-step.ts";
import { run } from "../../kernel/step/run.ts";
import { checkStepResult } from "../check-step-result.ts";
import { checkInputCase, checkStoredCase, replayStoredCase } from "../../../test-support/check-stored-case.ts";
import { ruleMatches } from "./unmatched-rules.ts";
import { temporaryProject } from "../../../test-support/temporary-project.ts";

const items = {
  items: [
    { id: 1, lines: [{ sku: "A" }] },
    { id: 2, note: "n" },
  ],
  open: {},
  empty: [],
};
const call = (adapter: string, ...request: readonly unknown[]): AdapterCall => ({
  adapter,
  occurrence: 0,
  returns: "promise",
  request,
  response: null,
});
const calls = [
  call("tools.save", { amount: 9, lines: [{ sku: "A" }] }),
  call("files.open", "a.txt", "r"),
  call("files.open(9f31c2d8#0).read", { from: 1 }),
];
const any = { label: "any", tolerates: () => true };

test.each([
  ["items", true],
  ["items.note", true],
  ["items.lines.sku", true],
  ["items.0.note", false],
  ["items.1.note", true],
  ["items.*.id", true],
  ["empty.id", true],
  ["*.note", true],
  ["open.*", false],
  ["**", true],
  ["**.sku", true],
  ["open.**.id", false],
  ["itmes.**", false],
  ["calls", false],
  ["calls.tools.save", true],
  ["calls.tools.save.amount", true],
  ["calls.tools.*.amount", true],
  ["calls.tools.save.lines.sku", true],
  ["calls.files.open.0", true],
  ["calls.files.open.read.from", true],
  ["calls.tools.save.amuont", false],
  ["calls.tools.saev", false],
  ["events.payload", false],
  ["itmes", false],
  ["items.nothing", false],
  ["open.id", false],
  ["toString", false],
])("the path %j of compare matches: %s", (path, leads) => {
  expect(
    ruleMatches(
      { keyBy: {}, compare: { [path]: any } },
      { outputs: [undefined, items], events: [[{ type: "paid" }]], calls },
    ),
  ).toStrictEqual([[`compare "${path}"`, leads]]);
});

test.each([
  [["items"], []],
  [["items", "items.1.lines"], []],
  [["items", "items.3.lines"], ['keyBy "items.3.lines"']],
  [["empty", "empty.1.lines"], []],
  [["items.lines"], []],
  [["items", "items.lines"], []],
  [["items.0.lines"], []],
  [["items.1.lines"], ['keyBy "items.1.lines"']],
  [["items.words"], ['keyBy "items.words"']],
  [
    ["itmes", "open.id"],
    ['keyBy "itmes"', 'keyBy "open.id"'],
  ],
])("paths %j of keyBy: those that match nothing are %j", (paths, unresolved) => {
  const keyBy = Object.fromEntries(paths.map((path) => [path, "id"]));
  const matches = ruleMatches({ keyBy, compare: {} }, { outputs: [items] });
  expect(matches.flatMap(([rule, isMatched]) => (isMatched ? [] : [rule]))).toStrictEqual(unresolved);
});

test("a path of compare matches an element of a keyed list by its key, even below elements", () => {
  const keyBy = { items: "id", "items.lines": "sku" };
  const compare = { "items.1.lines.A": any, "items.lines.A": any, "items.2.lines.A": any, "items.lines.B": any };
  expect(ruleMatches({ keyBy, compare }, { outputs: [items] })).toStrictEqual([
    ['keyBy "items"', true],
    ['keyBy "items.lines"', true],
    ['compare "items.1.lines.A"', true],
    ['compare "items.lines.A"', true],
    ['compare "items.2.lines.A"', false],
    ['compare "items.lines.B"', false],
  ]);
});

test.each<[events: string, events: readonly AuditEvent[], matched: readonly string[]]>([
  ["none", [], ['compare "total"', 'compare "events.payload"']],
  ["one", [{ type: "paid", payload: { amount: 9 } }], ['compare "total"', 'compare "events.payload"']],
])("a check reports its rules by whether they match, with events: %s", async (_title, events, matched) => {
  const step = defineStep({
    name: "reads",
    input: z.object({}),
    output: z.object({ total: z.number() }),
    keyBy: { nowhere: "id" },
    compare: { total: any, gone: any, "events.payload": any, "calls.save": any },
    run: async () => ({ output: { total: 9 }, events: [...events] }),
  });
  const root = join(temporaryProject("rules"), "__baselines__");
  const library = openLibrary(root);
  const captured = await checkInputCase(step, { input: {}, label: "case", mayCapture: true, adapters: {} }, library);
  expect(captured.findings).toMatchObject({ matchedRules: matched });
  expect(captured.findings.unmatchedRules).toBeUndefined();
  putBaseline(captured.path, captured.update?.propose().after ?? "");
  const [found] = library.all("reads");
  if (found === undefined) throw new Error("nothing was captured");
  expect((await checkStoredCase(step, found, { root })).findings).toMatchObject({
    matchedRules: matched,
    unmatchedRules: ['keyBy "nowhere"', 'compare "gone"', 'compare "calls.save"'],
  });
});

test("checks without a complete run report the rules that match, and don't report others as unmatched", async () => {
  const library = openLibrary(join(temporaryProject("rules"), "__baselines__"));
  const behavior = { fails: false };
  const refund = defineStep({
    name: "refund",
    input: z.object({}),
    output: z.object({ at: z.number() }),
    compare: { at: any, itmes: any },
    order: { "db.save": { after: ["llm.ask"] }, "db.drop": { after: ["llm.ask"] } },
    roles: { "db.save": "read", "db.drop": "read" },
    run: async (_input, { adapters: { db, llm } }: StepContext<typeof adapters>) => {
      await llm.ask();
      await db.save();
      if (behavior.fails) throw new Error("bug");
      return { output: { at: 1 } };
    },
  });
  const adapters = { llm: { ask: async () => "x" }, db: { save: async () => "ok" } };
  const matchedRules = ['order "db.save"', 'order "llm.ask"', 'compare "at"'];
  const captured = await checkInputCase(refund, { input: {}, label: "a", mayCapture: true, adapters }, library);
  expect(captured.findings).toMatchObject({ matchedRules });
  putBaseline(captured.path, captured.update?.propose().after ?? "");
  const [stored] = library.all("refund");
  if (stored === undefined) throw new Error("The case isn't stored.");
  expect((await replayStoredCase(refund, stored)).findings).toStrictEqual({ matchedRules, ms: expect.any(Number) });
  expect((await checkStoredCase(refund, stored, { root: library.root })).findings).toMatchObject({
    matchedRules,
    unmatchedRules: ['order "db.drop"', 'compare "itmes"'],
  });
  const result = await run(refund, {}, { adapters });
  const request = { details: { name: "new" }, label: "new" };
  expect((await checkStepResult(unwrap(result), request, library)).findings).toStrictEqual({
    matchedRules: ['compare "at"'],
  });
  behavior.fails = true;
  const failed = await checkStoredCase(refund, stored, { root: library.root });
  expect(failed.findings).toMatchObject({ matchedRules });
  expect(failed.findings.unmatchedRules).toBeUndefined();
});
