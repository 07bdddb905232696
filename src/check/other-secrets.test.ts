import { writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { type BaselineLibrary, openLibrary } from "../baseline/baseline-library.ts";
import { checkLines } from "../explain/check-lines.ts";
import { emit } from "../kernel/step/command.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { checkInputCase, replayStoredCase, checkStoredCase } from "../../test-support/check-stored-case.ts";
import { checkValue } from "./check-value.ts";
import type { Check } from "./check.ts";
import { temporaryProject } from "../../test-support/temporary-project.ts";

const X = "AKIAIOSFODNN7EXAMPLQ";
const Y = "AKIAJ2FODNN7EXAMPLEZ";
const CARD = "4242424242424242";
const OTHER_CARD = "4000056655665556";

function makeLibrary(): BaselineLibrary {
  return openLibrary(join(temporaryProject("other"), "__baselines__"));
}

function accept(check: Check): void {
  const update = check.update?.propose();
  if (update?.after === undefined) throw new Error(`nothing to accept: ${JSON.stringify(check.verdict)}`);
  mkdirSync(dirname(update.path), { recursive: true });
  writeFileSync(update.path, update.after);
}

function valueCheck(value: unknown, library: BaselineLibrary, keyBy = {}): Check {
  return checkValue(value, { test: "a.test.ts", details: { name: "v" }, keyBy }, library);
}

function told(check: Check): readonly string[] {
  return [check.verdict.kind, ...checkLines(check)];
}

/** What a value is found to be that is stored and compared with another. */
function values(before: unknown, after: unknown, keyBy = {}): readonly string[] {
  const library = makeLibrary();
  accept(valueCheck(before, library, keyBy));
  return told(valueCheck(after, library, keyBy));
}

test.each([
  ["the same secrets", { a: X, b: Y }, { a: X, b: Y }],
  ["another secret", { a: X, b: 1 }, { a: Y, b: 1 }],
  ["as many kinds and as many alike", { a: X, b: X, c: CARD }, { a: Y, b: Y, c: OTHER_CARD }],
])("treats secrets at the same positions as equal: %s", (_, before, after) => {
  expect(values(before, after)).toStrictEqual(["clean"]);
});

test.each([
  ["no longer alike", { a: X, b: X }, { a: X, b: Y }, ['    b: "«redacted:aws-key-id#1»" → "«redacted:aws-key-id#2»"']],
  ["alike now", { a: X, b: Y }, { a: X, b: X }, ['    b: "«redacted:aws-key-id#2»" → "«redacted:aws-key-id#1»"']],
  ["of another kind", { a: X }, { a: CARD }, ['    a: "«redacted:aws-key-id#1»" → "«redacted:card-number#2»"']],
  ["beside another change", { a: X, b: 1 }, { a: X, b: 2 }, ["    b: 1 → 2"]],
  [
    "swapped, beside one that stays",
    { a: X, b: Y, c: X },
    { a: X, b: X, c: Y },
    [
      '    b: "«redacted:aws-key-id#2»" → "«redacted:aws-key-id#1»"',
      '    c: "«redacted:aws-key-id#1»" → "«redacted:aws-key-id#3»"',
    ],
  ],
  ["a new one in front of others", { b: X, c: Y }, { a: CARD, b: X, c: Y }, ['  + a: "«redacted:card-number#3»"']],
  ["one less in front of others", { a: CARD, b: X, c: Y }, { b: X, c: Y }, ['  - a: "«redacted:card-number#1»"']],
])("compares secrets by their kind and by which are equal: %s", (_, before, after, lines) => {
  expect(values(before, after)).toStrictEqual(["value_changed", ...lines]);
});

test("a new order of keyed elements isn't a change", () => {
  const list = [
    { id: "c1", key: X },
    { id: "c2", key: Y },
  ];
  const keyBy = { list: "id" };
  expect(values({ list }, { list: list.toReversed() }, keyBy)).toStrictEqual(["clean"]);
  expect(values({ list }, { list: [list[1], { id: "c1", key: Y }] }, keyBy)[0]).toBe("value_changed");
});

test("numbers secrets of a file by first appearance, whatever was found before", () => {
  const library = makeLibrary();
  const value = { list: [Y, X, Y], "in a text": `${CARD} then ${X}` };
  for (const file of [value, { ...value, a: OTHER_CARD }, value].map(
    (one) => valueCheck(one, library).update?.propose().after,
  ))
    expect(numbersIn(file)).toStrictEqual(
      [...new Set(numbersIn(file))].map((_number, index) => index + 1).toSpliced(9),
    );
});

/** The numbers of the placeholders of a text, each where it appears first. */
function numbersIn(text = ""): readonly number[] {
  return [...new Set([...text.matchAll(/#(\d+)»/g)].map(([, number]) => Number(number)))];
}

/** A step that pays with a card and says so everywhere; `card` is what its code holds today. */
function stepOf(card: string): AnyStep {
  return defineStep({
    name: "pay",
    input: z.object({ order: z.number() }),
    output: z.object({ paid: z.string(), receipt: z.string() }),
    roles: { "shop.pay": "write" },
    run: async (
      { order },
      { adapters }: { readonly adapters: { shop: { pay(card: string, order: number): Promise<string> } } },
    ) => ({
      output: { paid: `with ${card}`, receipt: await adapters.shop.pay(card, order) },
      commands: [emit("paid", { card }), emit("paid", { card, order })],
      events: [{ type: "paid", payload: { card } }],
    }),
  });
}

const adapters = { shop: { pay: async (card: string) => Promise.resolve(`paid with ${card}`) } };
const asked = { input: { order: 1 }, label: "pay", mayCapture: true, adapters, executesWrites: true };

test("a step with another secret everywhere is clean in all checks, and its file stays the same", async () => {
  const library = makeLibrary();
  accept(await checkInputCase(stepOf(CARD), asked, library));
  const [stored] = library.all("pay");
  if (stored === undefined) throw new Error("nothing is stored");
  const world = { root: library.root, executesWrites: true };
  for (const card of [CARD, OTHER_CARD]) {
    const checks = [
      await replayStoredCase(stepOf(card), stored),
      await checkStoredCase(stepOf(card), stored, { ...world, mode: "replay" }),
      await checkStoredCase(stepOf(card), stored, { ...world, adapters }),
    ];
    expect(checks.map(({ verdict }) => verdict.kind)).toStrictEqual(["clean", "clean", "clean"]);
  }
});

/** Pays for one and refunds to the other of two cards, which its input has; `swaps` does it the wrong way round. */
function transferOf(swaps: boolean): AnyStep {
  return defineStep({
    name: "transfer",
    input: z.object({ from: z.string(), to: z.string() }),
    output: z.object({ took: z.string(), gave: z.string() }),
    roles: { "shop.pay": "write" },
    run: async (
      { from, to },
      { adapters: { shop } }: { readonly adapters: { shop: { pay(card: string, order: number): Promise<string> } } },
    ) => {
      const [took, gave] = swaps ? [to, from] : [from, to];
      await shop.pay(took, 1);
      return { output: { took, gave } };
    },
  });
}

test("swapped secrets of the input are a change in all checks", async () => {
  const library = makeLibrary();
  const question = { ...asked, input: { from: CARD, to: OTHER_CARD } };
  accept(await checkInputCase(transferOf(false), question, library));
  const [stored] = library.all("transfer");
  if (stored === undefined) throw new Error("nothing is stored");
  const world = { root: library.root, executesWrites: true };
  const kinds = async (step: AnyStep): Promise<readonly string[]> =>
    [
      await replayStoredCase(step, stored),
      await checkStoredCase(step, stored, { ...world, mode: "replay" }),
      await checkInputCase(step, { ...question, mode: "replay" }, library),
      await checkInputCase(step, question, library),
    ].map(({ verdict }) => verdict.kind);
  expect(await kinds(transferOf(false))).toStrictEqual(["clean", "clean", "clean", "clean"]);
  expect(await kinds(transferOf(true))).toStrictEqual([
    "calls_changed",
    "calls_changed",
    "calls_changed",
    "calls_changed",
  ]);
});
