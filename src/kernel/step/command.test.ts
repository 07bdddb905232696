import * as fc from "fast-check";
import { expect, test } from "vitest";
import { jsonValue } from "../../../test-support/arbitraries.ts";
import { runCount } from "../../../test-support/run-count.ts";
import { stableStringify } from "../json/canonical-json.ts";
import { hashValueSync } from "../json/hash.ts";
import {
  type Command,
  COMMAND_TYPES,
  commandKey,
  commandTarget,
  emit,
  fanout,
  invoke,
  isBlockingCommand,
  isControlCommand,
  isSideEffectCommand,
  normalizeCommands,
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

test("builders omit missing optional fields", () => {
  expect(Object.keys(review("unsure"))).toStrictEqual(["type", "reason"]);
  expect(Object.keys(review("unsure", undefined))).toStrictEqual(["type", "reason"]);
  expect(Object.keys(suspend({ reason: "wait", checkpoint: 0, resumeStep: undefined }))).toStrictEqual([
    "type",
    "reason",
    "checkpoint",
  ]);
});

test("keeps a payload of null", () => {
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

const origin = { workflowId: "claims", runId: "r1", stepName: "extract" };

test("keeps only the fields of the schema", () => {
  const withMetadata = [
    { ...invoke("verify", { id: 1 }), commandId: "c1", scheduledAt: 5 },
    { ...fanout("verify", [1]), commandId: "c2" },
    { ...review("unsure", 1), assignee: "ann" },
    { ...emit("found", 2), offset: 9 },
    { ...suspend({ reason: "wait", checkpoint: 0, resumeStep: "verify" }), token: "t" },
  ];
  expect(normalizeCommands(withMetadata)).toStrictEqual([
    { type: "emit", topic: "found", payload: 2 },
    { type: "fanout", step: "verify", inputs: [1] },
    { type: "invoke", step: "verify", input: { id: 1 } },
    { type: "review", reason: "unsure", payload: 1 },
    { type: "suspend", reason: "wait", checkpoint: 0, resumeStep: "verify" },
  ]);
});

test("omits missing optional fields", () => {
  const commands = [
    { type: "review", reason: "unsure", payload: undefined },
    suspend({ reason: "wait", checkpoint: 0 }),
  ] as const;
  expect(normalizeCommands(commands).map((command) => Object.keys(command))).toStrictEqual([
    ["type", "reason"],
    ["type", "reason", "checkpoint"],
  ]);
});

test("sorts by type, then step or topic, then content", () => {
  const sorted = [
    emit("a", 2),
    emit("b", 1),
    invoke("a", { n: 2 }),
    invoke("b", { n: 1 }),
    invoke("b", { n: 2 }),
    review("r"),
  ];
  expect(normalizeCommands(sorted.toReversed())).toStrictEqual(sorted);
});

test("sorts by code unit, not by locale", () => {
  const targets = normalizeCommands([invoke("ä", 0), invoke("a", 0), invoke("Z", 0), invoke("_", 0)]).map(
    commandTarget,
  );
  expect(targets).toStrictEqual(["Z", "_", "a", "ä"]);
});

test("the hash of a list is independent of its order", () => {
  const commands = [invoke("verify", { b: 1, a: 2 }), emit("found", 1), invoke("verify", { a: 1 })];
  const hashes = [commands, commands.toReversed()].map((list) => hashValueSync(normalizeCommands(list)));
  expect(hashes[0]).toBe(hashes[1]);
});

test("keeps all equal commands", () => {
  expect(normalizeCommands([emit("found", 1), emit("found", 1)])).toStrictEqual([emit("found", 1), emit("found", 1)]);
});

test("missing commands are an empty list", () => {
  expect(normalizeCommands(undefined)).toStrictEqual([]);
});

test("doesn't change the given list", () => {
  const commands = Object.freeze([review("r"), Object.freeze({ ...emit("found", 1), offset: 9 })]);
  normalizeCommands(commands);
  expect(commands).toStrictEqual([review("r"), { ...emit("found", 1), offset: 9 }]);
});

test("equal commands of a run have the same key, with any order of fields and metadata of the runner", () => {
  const key = commandKey({ ...origin, command: invoke("verify", { a: 1, b: 2 }) });
  expect(key).toMatch(/^sha256:[0-9a-f]{64}$/);
  const withMetadata = { ...invoke("verify", { b: 2, a: 1 }), commandId: "c1" };
  expect(commandKey({ ...origin, command: withMetadata })).toBe(key);
});

test.each([
  ["workflow", { ...origin, workflowId: "other" }],
  ["run", { ...origin, runId: "r2" }],
  ["step", { ...origin, stepName: "other" }],
  ["ids that only join alike", { workflowId: "claimsr", runId: "1", stepName: "extract" }],
])("another %s gives a different key", (_what, other) => {
  const command = emit("found", 1);
  expect(commandKey({ ...other, command })).not.toBe(commandKey({ ...origin, command }));
});

test("another command gives a different key", () => {
  expect(commandKey({ ...origin, command: emit("found", 1) })).not.toBe(
    commandKey({ ...origin, command: emit("found", 2) }),
  );
});

test("the target of a command is its step, its topic or undefined", () => {
  const commands = [
    invoke("a", 0),
    fanout("b", []),
    emit("c", 0),
    review("d"),
    suspend({ reason: "e", checkpoint: 0 }),
  ];
  expect(commands.map(commandTarget)).toStrictEqual(["a", "b", "c", "", ""]);
});

test.each([
  ["null", null, "got null"],
  ["an unknown type", { type: "delete" }, 'got type "delete"'],
  ["a text", "invoke", "got string"],
])("refuses a value that isn't a command: %s", (_what, given, got) => {
  const commands = [invoke("verify", 1)];
  Reflect.set(commands, 1, given);
  expect(() => normalizeCommands(commands)).toThrow(
    new TypeError(`commands[1] isn't a command: ${got}. Use invoke, fanout, review, emit or suspend.`),
  );
});

const RUNS = { numRuns: runCount(1000) };

// Few names, so that equal commands and ties in the order are frequent.
const name = fc.oneof(fc.constantFrom("a", "b", "Z", "ä", "\u{1f600}", "\uffff"), fc.string({ minLength: 1 }));
const data = fc.oneof(fc.constantFrom<unknown>(0, 1, null), jsonValue());
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.tuple(name, data).map(([step, input]) => invoke(step, input)),
  fc.tuple(name, fc.array(data, { maxLength: 3 })).map(([step, inputs]) => fanout(step, inputs)),
  fc.tuple(name, fc.option(data, { nil: undefined })).map(([reason, payload]) => review(reason, payload)),
  fc.tuple(name, data).map(([topic, payload]) => emit(topic, payload)),
  fc
    .tuple(name, data, fc.option(name, { nil: undefined }))
    .map(([reason, checkpoint, resumeStep]) => suspend({ reason, checkpoint, resumeStep })),
);
const shuffled = fc
  .array(command, { maxLength: 6 })
  .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
const metadata = fc.record({ commandId: fc.string(), scheduledAt: fc.integer(), attempts: data });
const origins = fc.record({ workflowId: name, runId: name, stepName: name });

/** The same command with its fields in the opposite order and what a runner added. */
function dressed(each: Command, extra: object): Command {
  const reversed = Object.fromEntries(Object.entries({ ...each, ...extra }).toReversed());
  return { ...reversed, ...each };
}

test("normalizing is independent of metadata and of the order of the list and of fields", () => {
  fc.assert(
    fc.property(shuffled, metadata, ([list, other], extra) => {
      const normalized = normalizeCommands(list);
      const again = normalizeCommands(other.map((each) => dressed(each, extra)));
      expect(stableStringify(again)).toBe(stableStringify(normalized));
      expect(hashValueSync(again)).toBe(hashValueSync(normalized));
    }),
    RUNS,
  );
});

test("a command's key depends only on its origin and its content", () => {
  fc.assert(
    fc.property(origins, command, command, metadata, (from, each, other, extra) => {
      const key = commandKey({ ...from, command: each });
      expect(key).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(commandKey({ ...from, command: dressed(each, extra) })).toBe(key);
      expect(commandKey({ ...from, command: other }) === key).toBe(stableStringify(other) === stableStringify(each));
    }),
    RUNS,
  );
});
