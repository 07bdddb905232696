import { expect, test } from "vitest";
import {
  COMMAND_TYPES,
  emit,
  fanout,
  invoke,
  isBlockingCommand,
  isControlCommand,
  isSideEffectCommand,
  review,
  suspend,
} from "./command.ts";

const categories = [
  [invoke("verify", { id: 1 }), { control: true, blocking: false, effect: false }],
  [fanout("verify", [1, 2]), { control: true, blocking: false, effect: false }],
  [review("unsure"), { control: false, blocking: true, effect: false }],
  [suspend({ reason: "wait", checkpoint: {} }), { control: false, blocking: true, effect: false }],
  [emit("claims.found", 2), { control: false, blocking: false, effect: true }],
] as const;

test("builders write commands as plain data", () => {
  expect(invoke("verify", { id: 1 })).toStrictEqual({ type: "invoke", step: "verify", input: { id: 1 } });
  expect(fanout("verify", [1, 2])).toStrictEqual({ type: "fanout", step: "verify", inputs: [1, 2] });
  expect(review("unsure", { score: 0.4 })).toStrictEqual({ type: "review", reason: "unsure", payload: { score: 0.4 } });
  expect(emit("claims.found", { n: 2 })).toStrictEqual({ type: "emit", topic: "claims.found", payload: { n: 2 } });
  expect(suspend({ reason: "wait", checkpoint: { at: 3 }, resumeStep: "verify" })).toStrictEqual({
    type: "suspend",
    reason: "wait",
    checkpoint: { at: 3 },
    resumeStep: "verify",
  });
});

test("builders leave absent optionals out", () => {
  expect(Object.keys(review("unsure"))).toStrictEqual(["type", "reason"]);
  expect(Object.keys(review("unsure", undefined))).toStrictEqual(["type", "reason"]);
  expect(Object.keys(suspend({ reason: "wait", checkpoint: 0, resumeStep: undefined }))).toStrictEqual([
    "type",
    "reason",
    "checkpoint",
  ]);
});

test("a payload of null is a payload", () => {
  expect(review("unsure", null)).toStrictEqual({ type: "review", reason: "unsure", payload: null });
});

test.each(categories)("%j is in exactly one category", (command, { control, blocking, effect }) => {
  expect([isControlCommand(command), isBlockingCommand(command), isSideEffectCommand(command)]).toStrictEqual([
    control,
    blocking,
    effect,
  ]);
});

test("the categories cover every command type", () => {
  expect(new Set(categories.map(([command]) => command.type))).toStrictEqual(COMMAND_TYPES);
});
