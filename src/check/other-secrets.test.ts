import { mkdtempSync, readFileSync, realpathSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { type BaselineLibrary, openLibrary } from "../baseline/library.ts";
import { checkLines } from "../explain/check-lines.ts";
import { configureRedaction } from "../redact/current-redactor.ts";
import { emit } from "../kernel/step/command.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { askInput, askReplay, askStored } from "../../test-support/ask-case.ts";
import { PLANTED_SECRETS } from "../../test-support/planted-secrets.ts";
import { checkValue } from "./check-value.ts";
import type { Check } from "./check.ts";

beforeEach(() => configureRedaction({ salt: "one" }));
afterEach(() => configureRedaction({}));

const X = "AKIAIOSFODNN7EXAMPLQ";
const Y = "AKIAJ2FODNN7EXAMPLEZ";
const CARD = "4242424242424242";
const OTHER_CARD = "4000056655665556";

function makeLibrary(): BaselineLibrary {
  return openLibrary(join(realpathSync(mkdtempSync(join(tmpdir(), "veritest-other-"))), "__baselines__"), new Map());
}

function accept(check: Check): void {
  const proposal = check.propose?.();
  if (proposal?.after === undefined) throw new Error(`nothing to accept: ${JSON.stringify(check.verdict)}`);
  mkdirSync(dirname(proposal.path), { recursive: true });
  writeFileSync(proposal.path, proposal.after);
}

function valueCheck(value: unknown, library: BaselineLibrary, keyBy = {}): Check {
  return checkValue(value, { test: "a.test.ts", details: { name: "v" }, keyBy }, library);
}

function told(check: Check): readonly string[] {
  return [check.verdict.kind, ...checkLines(check).map((line) => line.replaceAll(/[0-9a-f]{8}»/g, "#»"))];
}

/** What a value is found to be that is stored under one salt and asked under another, or the same. */
function values(before: unknown, after: unknown, { salt = "one", keyBy = {} } = {}): readonly string[] {
  const library = makeLibrary();
  accept(valueCheck(before, library, keyBy));
  configureRedaction({ salt });
  return told(valueCheck(after, library, keyBy));
}

test("another secret in the place of one is a change where both are hidden by one salt", () => {
  expect(values({ a: X, b: 1 }, { a: Y, b: 1 })).toStrictEqual([
    "value_changed",
    '    a: "«redacted:aws-key-id:#»" → "«redacted:aws-key-id:#»"',
  ]);
  expect(values({ a: X, b: 1 }, { a: X, b: 1 })).toStrictEqual(["clean"]);
});

test("each planted secret is told from another one of its kind", () => {
  const seen = PLANTED_SECRETS.map(({ kind, text, secret }) => {
    const changed = text.replace(secret, otherSecret(secret));
    return [kind, text === changed ? "the same" : values({ t: text }, { t: changed })[0]];
  });
  expect(seen.filter(([, verdict]) => verdict === "clean")).toStrictEqual([]);
});

/** The same secret with its last letter another. */
function otherSecret(secret: string): string {
  const others = new Map([
    ["q", "w"],
    ["Q", "W"],
  ]);
  return secret.replace(
    /[a-zA-Z](?=[^a-zA-Z]*$)/,
    (letter) => others.get(letter) ?? (/[a-z]/.test(letter) ? "q" : "Q"),
  );
}

test.each([
  ["the same secrets", { a: X, b: Y }, { a: X, b: Y }],
  ["another secret", { a: X, b: 1 }, { a: Y, b: 1 }],
  ["as many kinds and as many alike", { a: X, b: X, c: CARD }, { a: Y, b: Y, c: CARD }],
])("under another salt nobody can tell, and that is told: %s", (_, before, after) => {
  const library = makeLibrary();
  accept(valueCheck(before, library));
  configureRedaction({ salt: "two" });
  expect(valueCheck(after, library).verdict).toStrictEqual({ kind: "clean", untold: true });
});

test.each([
  ["no longer alike", { a: X, b: X }, { a: X, b: Y }, ['    b: "«redacted:aws-key-id:#»" → "«redacted:aws-key-id:#»"']],
  ["alike now", { a: X, b: Y }, { a: X, b: X }, ['    b: "«redacted:aws-key-id:#»" → "«redacted:aws-key-id:#»"']],
  ["of another kind", { a: X }, { a: CARD }, ['    a: "«redacted:aws-key-id:#»" → "«redacted:card-number:#»"']],
  ["beside another change", { a: X, b: 1 }, { a: X, b: 2 }, ["    b: 1 → 2"]],
])("under another salt secrets are compared by their kind and by which are alike: %s", (_, before, after, lines) => {
  for (const salt of ["one", "two"])
    expect([salt, ...values(before, after, { salt })]).toStrictEqual([salt, "value_changed", ...lines]);
});

test("a new order of keyed elements is no change under any salt", () => {
  const list = [
    { id: "c1", key: X },
    { id: "c2", key: Y },
  ];
  const keyBy = { list: "id" };
  for (const salt of ["one", "two"]) {
    expect(values({ list }, { list: list.toReversed() }, { salt, keyBy })).toStrictEqual(["clean"]);
    expect(values({ list }, { list: [list[1], { id: "c1", key: Y }] }, { salt, keyBy })[0]).toBe("value_changed");
  }
});

test("a file names the salt that hid its secrets and never tells it; one without secrets names none", () => {
  const library = makeLibrary();
  const hidden = valueCheck({ a: X }, library).propose?.().after ?? "";
  expect(JSON.parse(hidden)).toMatchObject({ hiddenBy: expect.stringMatching(/^[0-9a-f]{8}$/) });
  expect(hidden).not.toContain("one");
  expect(JSON.parse(valueCheck({ a: 1 }, library).propose?.().after ?? "")).not.toHaveProperty("hiddenBy");
});

test("a file of before is compared as under another salt", () => {
  const library = makeLibrary();
  const check = valueCheck({ a: X, b: X }, library);
  accept(check);
  writeFileSync(check.path, readFileSync(check.path, "utf8").replace(/\n {2}"hiddenBy": "\w+",/, ""));
  expect(valueCheck({ a: X, b: X }, library).verdict).toStrictEqual({ kind: "clean" });
  expect(valueCheck({ a: Y, b: Y }, library).verdict).toStrictEqual({ kind: "clean", untold: true });
  expect(valueCheck({ a: X, b: CARD }, library).verdict.kind).toBe("value_changed");
});

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
const asked = { input: { order: 1 }, label: "pay", mayCapture: true, adapters, runsWrites: true };

test("a step that works with another secret is a change on all roads, replays too", async () => {
  const library = makeLibrary();
  accept(await askInput(stepOf(CARD), asked, library));
  const [stored] = library.all("pay");
  if (stored === undefined) throw new Error("nothing is stored");
  const world = { root: library.root, runsWrites: true };
  for (const [code, kind] of [
    [stepOf(CARD), "clean"],
    [stepOf(OTHER_CARD), "calls_changed"],
  ] as const) {
    const checks = [
      await askReplay(code, stored),
      await askStored(code, stored, { ...world, mode: "recorded" }),
      await askStored(code, stored, { ...world, adapters }),
    ];
    expect(checks.map(({ verdict }) => verdict.kind)).toStrictEqual([kind, kind, kind]);
    configureRedaction({ salt: "two" });
    const others = [await askReplay(code, stored), await askStored(code, stored, { ...world, adapters })];
    expect(others.map(({ verdict }) => [verdict.kind, "untold" in verdict])).toStrictEqual([
      ["clean", true],
      ["clean", true],
    ]);
    configureRedaction({ salt: "one" });
  }
  expect(told(await askReplay(stepOf(OTHER_CARD), stored)).slice(1)).toStrictEqual([
    '    paid: "with «redacted:card-number:#»" → "with «redacted:card-number:#»"',
    '    events[0].payload.card: "«redacted:card-number:#»" → "«redacted:card-number:#»"',
    '    commands[0].payload.card: "«redacted:card-number:#»" → "«redacted:card-number:#»"',
    '    commands[1].payload.card: "«redacted:card-number:#»" → "«redacted:card-number:#»"',
    '    shop.pay: [0]: "«redacted:card-number:#»" → "«redacted:card-number:#»"',
  ]);
});
