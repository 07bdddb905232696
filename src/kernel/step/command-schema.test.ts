import { expect, test } from "vitest";
import type { ZodType } from "zod";
import { emit, fanout, invoke, review, suspend } from "./command.ts";
import {
  commandSchema,
  emitCommandSchema,
  fanoutCommandSchema,
  invokeCommandSchema,
  reviewCommandSchema,
  suspendCommandSchema,
} from "./command-schema.ts";

const built = [
  ["invoke", invoke("verify", { id: 1 }), invokeCommandSchema],
  ["fanout", fanout("verify", []), fanoutCommandSchema],
  ["review", review("unsure"), reviewCommandSchema],
  ["review with a payload", review("unsure", null), reviewCommandSchema],
  ["emit", emit("found", 2), emitCommandSchema],
  ["suspend", suspend({ reason: "wait", checkpoint: null }), suspendCommandSchema],
  [
    "suspend with a step to resume",
    suspend({ reason: "wait", checkpoint: {}, resumeStep: "verify" }),
    suspendCommandSchema,
  ],
] as const;

test.each(built)("accepts the result of the builder of %s unchanged", (_name, command, schema) => {
  expect(schema.parse(command)).toStrictEqual(command);
  expect(commandSchema.parse(command)).toStrictEqual(command);
});

test.each(built)("an unknown key in %s is an error", (_name, command, schema) => {
  const messages = [schema, commandSchema].map((each) => firstMessage(each, { ...command, id: 7 }));
  expect(messages).toStrictEqual(['Unrecognized key: "id"', 'Unrecognized key: "id"']);
});

test.each(built)("refuses %s without one of its required keys", (_name, command) => {
  const required = Object.keys(command).filter((key) => key !== "payload" || command.type === "emit");
  for (const key of required.filter((name) => name !== "resumeStep")) {
    const rest = Object.fromEntries(Object.entries(command).filter(([name]) => name !== key));
    expect([key, commandSchema.safeParse(rest).success]).toStrictEqual([key, false]);
  }
});

test("each schema accepts only its own type", () => {
  expect(firstMessage(invokeCommandSchema, fanout("verify", []))).toBe('Invalid input: expected "invoke"');
  expect(firstMessage(suspendCommandSchema, review("unsure"))).toBe('Invalid input: expected "suspend"');
});

test.each([
  [{ type: "invoke", step: "", input: 1 }, "Too small: expected string to have >=1 characters"],
  [{ type: "invoke", input: 1 }, "Invalid input: expected string, received undefined"],
  [{ type: "fanout", step: "verify", inputs: { 0: 1 } }, "Invalid input: expected array, received object"],
  [
    { type: "suspend", reason: "wait", checkpoint: 1, resumeStep: undefined },
    "Invalid input: expected string, received undefined",
  ],
  [null, "Invalid input: expected object, received null"],
])("refuses %j", (command, message) => {
  expect(firstMessage(commandSchema, command)).toBe(message);
});

test("refuses an unknown type", () => {
  expect(commandSchema.safeParse({ type: "delete", step: "x" }).success).toBe(false);
});

function firstMessage(schema: ZodType, value: unknown): string | undefined {
  return schema.safeParse(value).error?.issues[0]?.message;
}
