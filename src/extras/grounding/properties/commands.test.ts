import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stableStringify } from "../../../kernel/json/canonical-json.ts";
import { hashValueSync } from "../../../kernel/json/hash.ts";
import {
  type Command,
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
} from "../../../kernel/step/command.ts";
import { commandSchema } from "../../../kernel/step/command-schema.ts";
import { runCount } from "../../../../test-support/run-count.ts";
import { jsonValue } from "../../../../test-support/arbitraries.ts";

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
const commands = fc.array(command, { maxLength: 6 });
const shuffled = commands.chain((list) =>
  fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
);
const metadata = fc.record({ commandId: fc.string(), scheduledAt: fc.integer(), attempts: data });
const origin = fc.record({ workflowId: name, runId: name, stepName: name });

/** The same command with its fields in the opposite order and what a runner added. */
function dressed(each: Command, extra: object): Command {
  const reversed = Object.fromEntries(Object.entries({ ...each, ...extra }).toReversed());
  return { ...reversed, ...each };
}

test("every command is in exactly one category", () => {
  fc.assert(
    fc.property(command, (each) => {
      const categories = [isControlCommand(each), isBlockingCommand(each), isSideEffectCommand(each)];
      expect(categories.filter(Boolean)).toHaveLength(1);
    }),
    RUNS,
  );
});

test("the schema accepts what builders make unchanged, even from JSON", () => {
  fc.assert(
    fc.property(command, (each) => {
      expect(commandSchema.parse(each)).toStrictEqual(each);
      expect(stableStringify(commandSchema.parse(JSON.parse(JSON.stringify(each))))).toBe(stableStringify(each));
    }),
    RUNS,
  );
});

// Built by hand: what the schema accepts must not depend on the builders.
const written: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  fc.record({ type: fc.constant("invoke"), step: name, input: data }),
  fc.record({ type: fc.constant("fanout"), step: name, inputs: fc.array(data, { maxLength: 3 }) }),
  fc.record({ type: fc.constant("review"), reason: name, payload: data }, { requiredKeys: ["type", "reason"] }),
  fc.record({ type: fc.constant("emit"), topic: name, payload: data }),
  fc.record(
    { type: fc.constant("suspend"), reason: name, checkpoint: data, resumeStep: name },
    { requiredKeys: ["type", "reason", "checkpoint"] },
  ),
);

test("the builders can make every command that the schema accepts", () => {
  fc.assert(
    fc.property(written, (each) => {
      expect(stableStringify(rebuilt(commandSchema.parse(each)))).toBe(stableStringify(each));
    }),
    RUNS,
  );
});

test("the schema refuses a command with a missing or an additional key", () => {
  fc.assert(
    fc.property(command, fc.nat(), fc.string(), (each, index, extra) => {
      fc.pre(!Object.hasOwn(each, extra) && !["payload", "resumeStep", "__proto__"].includes(extra));
      expect(commandSchema.safeParse({ ...each, [extra]: 1 }).success).toBe(false);
      const required = Object.keys(each).filter(
        (key) => key !== "resumeStep" && !(each.type === "review" && key === "payload"),
      );
      const missing = required[index % required.length];
      const rest = Object.fromEntries(Object.entries(each).filter(([key]) => key !== missing));
      expect(commandSchema.safeParse(rest).success).toBe(false);
    }),
    RUNS,
  );
});

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

test("normalizing is idempotent, and neither loses nor adds a command", () => {
  fc.assert(
    fc.property(commands, (list) => {
      const normalized = normalizeCommands(list);
      expect(normalizeCommands(normalized)).toStrictEqual(normalized);
      expect(normalized.map(stableStringify).sort()).toStrictEqual(list.map(stableStringify).sort());
    }),
    RUNS,
  );
});

test("normalizing sorts by type and by code unit of step or topic", () => {
  fc.assert(
    fc.property(commands, (list) => {
      const keys = normalizeCommands(list).map((each) => [each.type, commandTarget(each)] as const);
      for (const [index, [type, target]] of keys.slice(1).entries()) {
        const [previousType = "", previousTarget = ""] = keys[index] ?? [];
        expect(previousType < type || (previousType === type && previousTarget <= target)).toBe(true);
      }
    }),
    RUNS,
  );
});

test("a command's key depends only on its origin and its content", () => {
  fc.assert(
    fc.property(origin, command, command, metadata, (from, each, other, extra) => {
      const key = commandKey({ ...from, command: each });
      expect(key).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(commandKey({ ...from, command: dressed(each, extra) })).toBe(key);
      expect(commandKey({ ...from, command: other }) === key).toBe(stableStringify(other) === stableStringify(each));
    }),
    RUNS,
  );
});

test("different origins have different keys", () => {
  fc.assert(
    fc.property(origin, origin, command, (one, other, each) => {
      const equal = stableStringify(one) === stableStringify(other);
      expect(commandKey({ ...one, command: each }) === commandKey({ ...other, command: each })).toBe(equal);
    }),
    RUNS,
  );
});

function rebuilt(each: Command): Command {
  switch (each.type) {
    case "invoke":
      return invoke(each.step, each.input);
    case "fanout":
      return fanout(each.step, each.inputs);
    case "review":
      return review(each.reason, each.payload);
    case "emit":
      return emit(each.topic, each.payload);
    case "suspend":
      return suspend(each);
  }
}
