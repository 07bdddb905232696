import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import type { Schema } from "../kernel/step/schema.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);

beforeEach(() => stage.begin());

const SHAPE = { total: z.number(), note: z.string().optional() };

function invoice(more: object, output: Schema<object, object> = z.object(SHAPE)): AnyStep {
  return {
    ...defineStep({
      name: "invoice",
      input: z.object({}),
      output,
      run: async () => ({ output: { total: 9, ...more } }),
    }),
  };
}

async function captured(more: object = {}): Promise<string> {
  await expect(invoice(more)).toMatchBaseline({ input: {} });
  const text = stage.stagedText();
  stage.settle("new");
  return text;
}

test("a field that the schema doesn't have is a change with the cause code, and can be accepted", async () => {
  const before = await captured();
  expect(before).not.toContain("unnamed-output");
  expect(await stage.message(() => expect(invoice({ ssn: "1-2" })).toMatchBaseline({ input: {} }))).toContain(
    `value_changed
    cause: code (same requests, same responses, new output)
  + ssn: "1-2"`,
  );
  stage.settle("all");
  await expect(invoice({ ssn: "1-2" })).toMatchBaseline({ input: {} });
  stage.settle("new");
  // Its value is dropped, and doesn't count.
  await expect(invoice({ ssn: "3-4" })).toMatchBaseline({ input: {} });
  expect(stage.changes).toStrictEqual([]);
  expect(
    await stage.message(() => expect(invoice({ password: "hunter2hunter2", ssn: "1-2" })).toRecomputeClean()),
  ).toMatch(/\+ password: "«redacted:[^»]*»"/);
  const card = "4111111111111111";
  expect(await stage.message(() => expect(invoice({ ssn: "1-2", [card]: true })).toRecomputeClean())).toMatch(
    /\+ .*: true/,
  );
  expect(await stage.message(() => expect(invoice({ ssn: "1-2", isAdmin: true })).toRecomputeClean())).toContain(
    "  + isAdmin: true",
  );
});

test("a field in several elements is one line with the number of elements and its values", async () => {
  const line = z.object({ id: z.number() });
  const invoiceOf = (...more: readonly object[]): AnyStep =>
    invoice({ lines: more.map((fields, id) => ({ id, ...fields })) }, z.object({ ...SHAPE, lines: z.array(line) }));
  await expect(invoiceOf({}, {}, {}, {}, {})).toMatchBaseline({ input: {} });
  stage.settle("new");
  const lineOf = async (...more: readonly object[]): Promise<readonly string[]> =>
    (await stage.message(() => expect(invoiceOf(...more)).toMatchBaseline({ input: {} })))
      .split("\n")
      .filter((text) => text.startsWith("  +"));
  expect(await lineOf({ ok: true }, {}, { ok: false }, { ok: true }, {})).toStrictEqual([
    '  + lines.ok: "in 3 elements: true, false"',
  ]);
  expect(await lineOf({}, {}, { ok: false }, {}, {})).toStrictEqual(["  + lines.ok: false"]);
  expect(await lineOf({ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }, { n: 4 })).toStrictEqual([
    '  + lines.n: "in 5 elements: 1, 2, 3, …"',
  ]);
  const secrets = [{ password: "hunter2hunter2" }, { password: "swordfish22" }, {}, {}, {}];
  expect((await lineOf(...secrets)).join("\n")).toMatch(/^ {2}\+ lines\.password: "in 2 elements: «redacted:[^"]*"$/);
});

test("fields that the capture had too, undefined ones and removed ones aren't a change", async () => {
  await captured({ debug: 1, trace: "a" });
  await expect(invoice({ debug: 2, trace: "b" })).toMatchBaseline({ input: {} });
  await expect(invoice({ debug: 2, isAdmin: undefined })).toMatchBaseline({ input: {} });
  await expect(invoice({})).toMatchBaseline({ input: {} });
});

test("a field that the schema no longer has is removed, with the cause schema", async () => {
  const line = z.object({ name: z.string(), price: z.number() });
  const more = { tools: ["lookup"], line: { name: "a", price: 7 } };
  const named = { ...SHAPE, tools: z.array(z.string()), line };
  await expect(invoice(more, z.object(named))).toMatchBaseline({ input: {} });
  stage.settle("new");
  const { tools: _tools, ...rest } = named;
  const without = z.object({ ...rest, line: line.omit({ price: true }) });
  const message = (step: AnyStep): Promise<string> => stage.message(() => expect(step).toMatchBaseline({ input: {} }));
  expect(await message(invoice(more, without))).toContain(
    `value_changed
    cause: schema (drops from the output: line.price, tools)
  - line.price: 7
  - tools: ["lookup"]

`,
  );
  expect(await message(invoice({ ...more, total: 8, ssn: "1-2" }, without))).toContain(
    `value_changed
    cause: mixed: code (with the recorded responses: total: 9 → 8, + ssn: "1-2"), schema (drops from the output: line.price, tools)
`,
  );
  const { tools: _left, ...less } = more;
  expect(await message(invoice(less, without))).toContain("cause: mixed");
});

test.each<[string, Schema<object, object>, object, object, readonly string[]]>([
  [
    "elements of a list",
    z.object({
      ...SHAPE,
      items: z.array(z.union([z.object({ a: z.number(), note: z.string().optional() }), z.object({ b: z.number() })])),
    }),
    { items: [{ a: 1, note: "x" }, { b: 2 }] },
    { items: [{ a: 1 }, { b: 2, note: "secret plan" }] },
    ['  - items[0].note: "x"', '  + items.note: "secret plan"'],
  ],
  [
    "values of a record",
    z.object({ ...SHAPE, m: z.record(z.string(), z.object({ v: z.number() })) }),
    { m: { note: { v: 1 }, other: { v: 2 } } },
    { m: { other: { v: 2, note: "secret plan" } } },
    ['  - m.note: {"v":1}', '  + m.note: "secret plan"'],
  ],
])("a new unnamed field is shown beside a removed one of its name in other %s", async (_where, schema, was, is, lines) => {
  await expect(invoice(was, schema)).toMatchBaseline({ input: {} });
  stage.settle("new");
  const text = await stage.message(() => expect(invoice(is, schema)).toMatchBaseline({ input: {} }));
  expect(text.split("\n").slice(3, 6)).toStrictEqual([
    "    cause: code (same requests, same responses, new output)",
    ...lines,
  ]);
});
