import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { openLibrary } from "../../baseline/baseline-library.ts";
import { putBaseline } from "../../../test-support/put-baseline.ts";
import type { AuditEvent } from "../../kernel/step/context.ts";
import { defineStep } from "../../kernel/step/define-step.ts";
import { checkInputCase, checkStoredCase } from "../../../test-support/check-stored-case.ts";
import { unmatchedRules } from "./unmatched-rules.ts";
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
    unmatchedRules(
      { keyBy: {}, compare: { [path]: any } },
      { outputs: [undefined, items], events: [[{ type: "paid" }]], calls },
    ),
  ).toStrictEqual(leads ? {} : { unmatchedRules: [`compare "${path}"`] });
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
  expect(unmatchedRules({ keyBy, compare: {} }, { outputs: [items] })).toStrictEqual(
    unresolved.length === 0 ? {} : { unmatchedRules: unresolved },
  );
});

test("a path of compare matches an element of a keyed list by its key, even below elements", () => {
  const keyBy = { items: "id", "items.lines": "sku" };
  const compare = { "items.1.lines.A": any, "items.lines.A": any, "items.2.lines.A": any, "items.lines.B": any };
  expect(unmatchedRules({ keyBy, compare }, { outputs: [items] })).toStrictEqual({
    unmatchedRules: ['compare "items.2.lines.A"', 'compare "items.lines.B"'],
  });
});

test.each<[events: string, events: readonly AuditEvent[], unresolved: readonly string[]]>([
  ["none", [], ['keyBy "nowhere"', 'compare "gone"', 'compare "calls.save"']],
  ["one", [{ type: "paid", payload: { amount: 9 } }], ['keyBy "nowhere"', 'compare "gone"', 'compare "calls.save"']],
])("a check reports such rules, with events: %s", async (_title, events, unresolved) => {
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
  putBaseline(captured.path, captured.update?.propose().after ?? "");
  const [found] = library.all("reads");
  if (found === undefined) throw new Error("nothing was captured");
  expect((await checkStoredCase(step, found, { root })).findings.unmatchedRules).toStrictEqual(unresolved);
});
