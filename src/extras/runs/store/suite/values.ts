import assert from "node:assert/strict";
import { emit, invoke, review, suspend } from "../../../../kernel/step/command.ts";
import type { StepCommit } from "../contract.ts";
import { type ContractCase, commitOf, contractCase, errorOf, leaseOf, rowsOf, valueOf } from "./case.ts";

/** Values that some database or encoding is known to change. */
const VALUES: Readonly<Record<string, unknown>> = {
  "an empty object": {},
  "an empty array": [],
  "an empty text": "",
  null: null,
  false: false,
  zero: 0,
  "a small fraction": 0.1,
  "the largest safe integer": Number.MAX_SAFE_INTEGER,
  "a large float": 1.7976931348623157e308,
  "a tiny float": 5e-324,
  "a number of 20 digits": 12_345_678_901_234_567_000,
  "U+0000 in a text": "a\0b",
  "U+0000 in a name": { "a\0b": 1 },
  "every control character": Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join(""),
  "half a character": "\ud800",
  "half a character in a name": { "\udfff": 1 },
  "an emoji of several characters": "👩‍👩‍👧‍👦 🏳️‍🌈",
  "right-to-left text": "שלום \u202eabc",
  "combining characters, not composed": "e\u0301 and \u00e9",
  "quotes and backslashes": `'"\\'' "" \\\\ $1 ?1 :a {} ; -- /*`,
  "a name that objects inherit": { constructor: 1, toString: 2, hasOwnProperty: 3 },
  "an own __proto__": JSON.parse('{"__proto__":{"polluted":true},"a":1}'),
  "numbers as names": { 2: "b", 1: "a", "01": "c" },
  "a blank name": { "": 1, " ": 2 },
  "line separators": "a\u2028b\u2029c\r\nd",
  "nested 200 deep": nested(200),
  "a list of 10,000": Array.from({ length: 10_000 }, (_, index) => index),
  "a text of 1 MiB": "x".repeat(2 ** 20),
};

/** A step may write a value it gets back as text: with another order of keys, its request to a model would differ. */
const KEEPS_ORDER = contractCase("keeps the order of an object's keys everywhere a value goes", async ({ store }) => {
  const value = { b: 1, a: { d: [{ z: 1, y: 2 }], c: 3 } };
  const text = JSON.stringify(value);
  const artifact = { hash: `sha256:${"0".repeat(64)}`, kind: "adapter-call", content: value };
  const commands = [invoke("step", value), emit("topic", value)];
  const events = [{ type: "seen", payload: value }];
  valueOf(await store.commit(commitOf({ input: value, output: { value }, events, commands, artifacts: [artifact] })));
  const run = valueOf(await store.load("claims", "run-1"));
  const [entry] = valueOf(await store.entries("claims", "run-1"));
  const stored = [run?.computed["value"], entry?.input, entry?.output?.["value"], entry?.events[0]?.payload];
  for (const copy of [...stored, entry?.artifacts[0]?.content]) assert.equal(JSON.stringify(copy), text);
  for (const row of valueOf(await store.outbox.lease(leaseOf()))) assert.equal(JSON.stringify(row.payload), text);
});

function nested(depth: number): unknown {
  let value: unknown = "leaf";
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
}

const ROUND_TRIPS: readonly ContractCase[] = Object.entries(VALUES).map(([name, value]) =>
  contractCase(`keeps ${name} everywhere a value goes`, async ({ store }) => {
    const commit = commitOf({
      input: value,
      output: { value, same: value },
      events: [{ type: "seen", payload: value }],
      commands: [emit("topic", value), invoke("step", value)],
    });
    valueOf(await store.commit(commit));
    const run = valueOf(await store.load("claims", "run-1"));
    const [entry] = valueOf(await store.entries("claims", "run-1"));
    const stored = [run?.computed["value"], run?.computed["same"], entry?.input, entry?.output?.["value"]];
    for (const copy of [...stored, entry?.events[0]?.payload]) assert.deepEqual(copy, value);
    for (const row of valueOf(await store.outbox.lease(leaseOf()))) assert.deepEqual(row.payload, value);
  }),
);

const NAMES: readonly string[] = [
  "a b",
  "../../etc/passwd",
  "Größe 漢字 👩‍👧",
  "'; drop table runs; --",
  "%",
  "x".repeat(500),
];

const KEPT_NAMES: readonly ContractCase[] = NAMES.map((name) =>
  contractCase(`takes ${JSON.stringify(name.slice(0, 30))} as a name of everything`, async ({ store }) => {
    const ref = { workflowId: name, runId: name, stepId: name, stepName: name };
    valueOf(await store.commit(commitOf({ ...ref, output: { [name]: 1 }, commands: [emit(name, name)] })));
    assert.deepEqual(valueOf(await store.load(name, name))?.computed, { [name]: 1 });
    assert.equal(valueOf(await store.commands(name, name))[0]?.target, name);
    assert.equal(valueOf(await store.outbox.lease(leaseOf({ owner: name })))[0]?.leaseOwner, name);
  }),
);

const REFUSED_NAMES: Readonly<Record<string, Partial<StepCommit>>> = {
  "a blank run id": { runId: "" },
  "U+0000 in a run id": { runId: "a\0" },
  "half a character in a workflow id": { workflowId: "\ud83d" },
  "a blank step id": { stepId: "" },
  "U+0000 in a topic": { commands: [emit("\0", 1)] },
  "a blank step of an invoke": { commands: [invoke("", 1)] },
};

const REFUSED: readonly ContractCase[] = Object.entries(REFUSED_NAMES).map(([name, changes]) =>
  contractCase(`refuses ${name} without a write`, async ({ store }) => {
    errorOf(await store.commit(commitOf(changes)), "invalid_id");
    assert.deepEqual(valueOf(await store.list()), []);
  }),
);

const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;

const NO_JSON: Readonly<Record<string, Partial<StepCommit>>> = {
  "an output with a function": { output: { a: () => 1 } },
  "an output with a BigInt": { output: { a: 1n } },
  "an output with a Map": { output: { a: new Map() } },
  "an output with a cycle": { output: cycle },
  "an output that is an array": { output: [] },
  "an input with a symbol": { input: Symbol("a") },
  "an event with a class instance": { events: [{ type: "a", payload: new Set() }] },
  "a command's payload with a function": { commands: [emit("t", { a: () => 1 })] },
  "a checkpoint with a Map": { commands: [suspend({ reason: "r", checkpoint: { a: new Map() } })] },
  "a review's payload with a function": { commands: [review("r", () => 1)] },
};

const NO_JSON_CASES: readonly ContractCase[] = Object.entries(NO_JSON).map(([name, changes]) =>
  contractCase(`refuses ${name} without a write`, async ({ store }) => {
    const error = errorOf(await store.commit(commitOf({ commands: [emit("t", 1)], ...changes })), "not_json");
    assert.match(error.message, /isn't JSON|isn't an object/);
    assert.deepEqual(valueOf(await store.list()), []);
    assert.deepEqual(await rowsOf(store), []);
  }),
);

const LARGE = "x".repeat(2000);
const TOO_LARGE: Readonly<Record<string, Partial<StepCommit>>> = {
  output: { output: { text: LARGE } },
  input: { input: LARGE },
  events: { events: [{ type: "a", payload: LARGE }] },
  "commands[0]": { commands: [emit("t", LARGE)] },
  checkpoint: { commands: [suspend({ reason: "r", checkpoint: LARGE })] },
};

const LIMITS: readonly ContractCase[] = [
  ...Object.entries(TOO_LARGE).map(([name, changes]) =>
    contractCase(
      `refuses ${name} above the limit without a write`,
      async ({ store }) => {
        const error = errorOf(await store.commit(commitOf(changes)), "payload_too_large");
        assert.match(error.message, /is 20\d\d bytes of JSON, at most 1000 are stored\./);
        assert.deepEqual(valueOf(await store.list()), []);
      },
      { maxBytes: 1000 },
    ),
  ),
  contractCase(
    "counts bytes, not characters",
    async ({ store }) => {
      errorOf(await store.commit(commitOf({ output: { text: "漢".repeat(400) } })), "payload_too_large");
      valueOf(await store.commit(commitOf({ output: { text: "a".repeat(400) } })));
    },
    { maxBytes: 1000 },
  ),
  contractCase("refuses a payload of 20 MB by default", async ({ store }) => {
    const error = errorOf(await store.commit(commitOf({ output: { text: "x".repeat(20e6) } })), "payload_too_large");
    assert.equal(
      error.message,
      "output is 20000011 bytes of JSON, at most 16777216 are stored. " +
        "Store it elsewhere and keep a reference, or raise maxBytes.",
    );
  }),
  contractCase(
    "keeps a payload of 20 MB where the limit allows it",
    async ({ store }) => {
      const text = "x".repeat(20e6);
      valueOf(await store.commit(commitOf({ output: { text } })));
      assert.ok(valueOf(await store.load("claims", "run-1"))?.computed["text"] === text);
    },
    { maxBytes: 32 * 2 ** 20 },
  ),
];

/** Values are stored unchanged, or refused by name. */
export const STORED_VALUES: readonly ContractCase[] = [
  ...ROUND_TRIPS,
  KEEPS_ORDER,
  ...KEPT_NAMES,
  ...REFUSED,
  ...NO_JSON_CASES,
  ...LIMITS,
];
