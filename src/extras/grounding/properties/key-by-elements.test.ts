import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { openLibrary } from "../../../baseline/baseline-library.ts";
import { StagedUpdates } from "../../../baseline/staged-updates.ts";
import { formatPath } from "../../../kernel/text.ts";
import type { KeyBy } from "../../../kernel/diff/compare-rules.ts";
import type { Check } from "../../../check/check.ts";
import { checkValue } from "../../../check/check-value.ts";
import { entriesOfChanges } from "../../../check/compare/compare.ts";
import { otherChanges } from "../../../check/update/other-changes.ts";
import type { DiffEntry } from "../../../kernel/diff/entries.ts";
import { diff } from "../../../kernel/diff/diff.ts";
import { reviewLines } from "../../../explain/check-lines.ts";
import { toEqualByKey } from "../../../matchers/to-equal-by-key.ts";
import { stepResultView } from "../../../matchers/serializer/serializer.ts";
import { rememberKeyBy } from "../../../kernel/step/step-result.ts";
import { defineStep } from "../../../kernel/step/define-step.ts";
import { type KeyedItem, keyedItems, permutationOf } from "../../../../test-support/arbitraries.ts";
import { checkInputCase, checkStoredCase } from "../../../../test-support/check-stored-case.ts";
import { putBaseline } from "../../../../test-support/put-baseline.ts";
import { runCount } from "../../../../test-support/run-count.ts";
import { temporaryProject } from "../../../../test-support/temporary-project.ts";

const RUNS = { numRuns: runCount(1000) };
const ROOT = join("/nowhere", "__baselines__");
const BY_PLACE: KeyBy = { "out.s.items": "id" };
const BY_KEY: KeyBy = { "out.s": "name", "out.s.items": "id" };

interface Part {
  readonly name: string;
  readonly items: readonly KeyedItem[];
}

interface Drawn {
  readonly isKeyed: boolean;
  readonly before: readonly Part[];
  readonly after: readonly Part[];
  readonly part: number;
  readonly item: number;
}

/** Some parts with keyed items, the same ones with items in another order, and one item of them. */
function drawn(): fc.Arbitrary<Drawn> {
  return fc
    .uniqueArray(fc.record({ name: fc.string(), items: keyedItems(1) }), {
      minLength: 1,
      maxLength: 4,
      selector: ({ name }) => name,
    })
    .chain((before) =>
      fc.tuple(...before.map(({ items }) => permutationOf(items))).chain((orders) => {
        const mixed = before.map(({ name }, index) => ({ name, items: orders[index] ?? [] }));
        return fc.boolean().chain((isKeyed) =>
          fc.record({
            isKeyed: fc.constant(isKeyed),
            before: fc.constant(before),
            after: isKeyed ? permutationOf(mixed) : fc.constant(mixed),
            part: fc.nat({ max: before.length - 1 }),
            item: fc.nat({ max: 11 }),
          }),
        );
      }),
    );
}

function valueOf(s: readonly Part[]): object {
  return { out: { s } };
}

function ask(value: unknown, keyBy: KeyBy, stored?: string): Check {
  const question = { test: "a.test.ts", details: { name: "v" }, keyBy };
  const fresh = checkValue(value, question, openLibrary(ROOT));
  if (stored === undefined) return fresh;
  const { path } = fresh;
  const staged = new StagedUpdates();
  staged.set(path, { kind: "add", root: ROOT, path, group: "a.test.ts", before: undefined, after: stored });
  return checkValue(value, question, openLibrary(ROOT, staged));
}

function textOf(value: unknown, keyBy: KeyBy = {}): string {
  return ask(value, keyBy).update?.propose().after ?? "";
}

function changesOf({ verdict }: Check): readonly DiffEntry[] {
  return "changes" in verdict ? entriesOfChanges(verdict.changes) : [];
}

test("reordering a keyed array below elements isn't a change", { tags: "deep" }, () => {
  fc.assert(
    fc.property(drawn(), ({ isKeyed, before, after }) => {
      const keyBy = isKeyed ? BY_KEY : BY_PLACE;
      const [was, is] = [valueOf(before), valueOf(after)];
      expect(diff(was, is, keyBy)).toStrictEqual({ equal: true, entries: [] });
      expect(ask(is, keyBy, textOf(was)).verdict).toStrictEqual({ kind: "clean" });
      expect(Reflect.apply(toEqualByKey, {}, [is, was, keyBy]).pass).toBe(true);
    }),
    RUNS,
  );
});

test("one changed field below elements is one line at its position", { tags: "deep" }, () => {
  fc.assert(
    fc.property(drawn(), ({ isKeyed, before, after, part, item }) => {
      const keyBy = isKeyed ? BY_KEY : BY_PLACE;
      const chosen = after[part] ?? { name: "", items: [] };
      const at = item % chosen.items.length;
      const whole = chosen.items[at] ?? { id: "", label: "", data: null };
      const changed = { ...chosen, items: chosen.items.with(at, { ...whole, label: `${whole.label}!` }) };
      const [was, is] = [valueOf(before), valueOf(after.with(part, changed))];
      const path = ["out", "s", isKeyed ? chosen.name : part, "items", String(whole.id), "label"];
      const entry = { path, before: whole.label, after: `${whole.label}!` };
      expect(diff(was, is, keyBy).entries).toStrictEqual([entry]);
      expect(changesOf(ask(is, keyBy, textOf(was))).map((found) => formatPath(found.path))).toStrictEqual([
        formatPath(path),
      ]);
      expect(Reflect.apply(toEqualByKey, {}, [is, was, keyBy]).pass).toBe(false);
    }),
    RUNS,
  );
});

const twoParts = {
  s: [
    {
      items: [
        { id: 1, n: 1 },
        { id: 2, n: 1 },
      ],
    },
    { items: [{ id: 1, n: 1 }] },
  ],
};
const PASSES: KeyBy = { "s.items": "id" };

describe("a baseline made while the path matched nothing", () => {
  test("is clean in another order, and its file stays unchanged", () => {
    const stored = textOf(twoParts);
    expect(stored).toBe(textOf(twoParts, PASSES));
    const other = { s: [{ items: twoParts.s[0]?.items.toReversed() }, twoParts.s[1]] };
    expect(ask(other, PASSES, stored)).toMatchObject({ verdict: { kind: "clean" } });
    expect(ask(other, PASSES, stored).findings.unmatchedRules).toBeUndefined();
  });

  test("fails with advice if its elements have no key or a duplicate one", () => {
    const twice = textOf({ s: [{ items: [{ id: 1 }, { id: 1 }] }] });
    const now = ask({ s: [{ items: [{ id: 1 }, { id: 2 }] }] }, PASSES, twice);
    expect(now.verdict).toMatchObject({
      kind: "failed",
      error: {
        code: "normalization_failed",
        message: `Cannot compare with ${now.file}: keyBy: duplicate key "1" in s[0].items, only in the stored value. Fix keyBy, or delete that file and capture the case again.`,
      },
    });
    const none = ask({ s: [{ items: [{ n: 1 }] }] }, PASSES, textOf({ s: [{ items: [{ n: 1 }] }] }));
    expect(none.verdict).toMatchObject({
      kind: "failed",
      error: {
        message: `Cannot compare with ${none.file}: keyBy: element at s[0].items[0] has no field "id". Fix keyBy or the output.`,
      },
    });
  });
});

test("reports a nested list that became a record of the same keys as a change, both ways", () => {
  const record = { s: [{ items: { 1: { id: 1, n: 1 } } }] };
  const list = { s: [{ items: [{ id: 1, n: 1 }] }] };
  const items = { list: [{ id: 1, n: 1 }], record: { 1: { id: 1, n: 1 } } };
  const path = ["s", 0, "items"];
  expect(changesOf(ask(record, PASSES, textOf(list)))).toStrictEqual([
    { path, before: items.list, after: items.record },
  ]);
  expect(changesOf(ask(list, PASSES, textOf(record)))).toStrictEqual([
    { path, before: items.record, after: items.list },
  ]);
});

test("shows the nested list of an added or removed element in its order", () => {
  const [first] = twoParts.s;
  expect(changesOf(ask({ s: [first] }, PASSES, textOf(twoParts)))).toStrictEqual([
    { path: ["s", 1], before: { items: [{ id: 1, n: 1 }] }, after: undefined },
  ]);
  expect(Reflect.apply(toEqualByKey, {}, [twoParts, { s: [first] }, PASSES]).message()).toBe(
    'toEqualByKey: the values differ (expected → received)\n+ s[1]: {"items":[{"id":1,"n":1}]}',
  );
});

test("a new order beside a change is reported as written, at its position", () => {
  const stored = textOf(twoParts);
  const check = ask(
    {
      s: [
        {
          items: [
            { id: 2, n: 2 },
            { id: 1, n: 1 },
          ],
        },
        twoParts.s[1],
      ],
    },
    PASSES,
    stored,
  );
  const propose = (): never => expect.fail("not proposed");
  const beside = otherChanges({ ...check.update, ...check, before: stored, after: check.update?.propose().after });
  expect(reviewLines({ ...check, update: { propose, otherChanges: beside } })).toStrictEqual([
    "    s[0].items.2.n: 1 → 2",
    '    also written: value.s[0].items["(order)"]: ["1","2"] → ["2","1"]',
  ]);
});

test("sorts nested keyed lists by key in a result's snapshot", () => {
  const output = { s: [{ items: [{ id: "b" }, { id: "a" }] }, { items: [{ id: "b" }, { id: "b" }] }] };
  const result = {
    stepName: "reads",
    workflowId: "w",
    workflowVersion: "1",
    input: {},
    output,
    events: [],
    artifacts: [],
  };
  expect(stepResultView(rememberKeyBy({ ...result, runId: "r", durationMs: 1 }, PASSES))).toMatchObject({
    output: { s: [{ items: [{ id: "a" }, { id: "b" }] }, output.s[1]] },
  });
});

test("accepts a new order below elements, and refuses an output with duplicate keys", async () => {
  let items = [
    { id: 1, n: 1 },
    { id: 2, n: 1 },
  ];
  const step = defineStep({
    name: "reads",
    input: z.object({}),
    output: z.object({ s: z.array(z.object({ items: z.array(z.object({ id: z.number(), n: z.number() })) })) }),
    keyBy: PASSES,
    run: async () => ({ output: { s: [{ items }] } }),
  });
  const root = join(temporaryProject("elements"), "__baselines__");
  const library = openLibrary(root);
  const asked = { input: {}, label: "case", mayCapture: true, adapters: {} };
  const captured = await checkInputCase(step, asked, library);
  putBaseline(captured.path, captured.update?.propose().after ?? "");
  const check = async (): Promise<Check> => {
    const [found] = openLibrary(root).all("reads");
    if (found === undefined) throw new Error("nothing was captured");
    return checkStoredCase(step, found, { root });
  };
  items = items.toReversed();
  expect(await check()).toMatchObject({ verdict: { kind: "clean" } });
  items = items.map((item) => ({ ...item, n: item.id }));
  expect(changesOf(await check())).toStrictEqual([{ path: ["s", 0, "items", "2", "n"], before: 1, after: 2 }]);
  items = items.map((item) => ({ ...item, id: 1 }));
  expect((await check()).verdict).toMatchObject({
    error: { message: expect.stringContaining('keyBy: duplicate key "1" in s[0].items. Fix keyBy or the output.') },
  });
  const missing = await checkInputCase(step, { ...asked, input: { more: 1 } }, openLibrary(`${root}-none`));
  expect(missing.verdict).toMatchObject({ error: { code: "normalization_failed" } });
});
