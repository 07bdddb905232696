import assert from "node:assert/strict";
import { emit, fanout, invoke, review, suspend } from "../../../../kernel/step/command.ts";
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
  "a Date": new Date("2026-02-28T23:59:59.999Z"),
  "an invalid Date": new Date(Number.NaN),
  "a URL": new URL("https://example.com/a?b=1#c"),
  "a Map": new Map<unknown, unknown>([[{ a: 1 }, new Date(0)]]),
  "a Set": new Set(["a", 1n]),
  bytes: new Uint8Array([0, 128, 255]),
  "a Buffer": Buffer.from("é"),
  "a pattern": /a+/giu,
  "a BigInt": 2n ** 70n,
  "NaN, infinities and -0": [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0],
  "undefined in a list": [1, undefined, 3],
  "a field called $t": { $t: "date", v: "2026" },
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

/** Values that JSON lacks, in data of people and in what resumes a run. */
const KEEPS_DECISIONS = contractCase("keeps values that JSON lacks in overlays and decisions", async ({ store }) => {
  const value = new Map([["due", new Date("2026-03-01T00:00:00.000Z")]]);
  const { version, blockId = "" } = valueOf(
    await store.commit(commitOf({ commands: [suspend({ reason: "r", checkpoint: { value } })] })),
  );
  const because = { workflowId: "claims", runId: "run-1", reason: "checked", actor: "ann" };
  valueOf(await store.setOverlay({ ...because, expectedVersion: version, overlay: { value } }));
  assert.deepEqual(valueOf(await store.load("claims", "run-1"))?.overlay, { value });
  const block = valueOf(
    await store.blocks.resolve({ ...because, blockId, decision: { kind: "resume", data: [value] } }),
  );
  assert.deepEqual([block?.checkpoint, block?.resolution?.decision], [{ value }, { kind: "resume", data: [value] }]);
  const [row] = valueOf(await store.outbox.lease(leaseOf()));
  assert.deepEqual(row?.payload, { checkpoint: { value }, resumeData: [value] });
});

/** Two commands are one if their values are equal, also of values that JSON would write alike. */
const TELLS_APART = contractCase("keeps commands apart whose values only JSON writes alike", async ({ store }) => {
  const inputs = [new Date(0), new Date(0).toISOString(), Number.NaN, null, new Map([["a", 1]]), new Map()];
  valueOf(await store.commit(commitOf({ commands: inputs.map((input) => invoke("step", input)) })));
  assert.deepEqual(new Set(valueOf(await store.outbox.lease(leaseOf())).map((row) => row.payload)), new Set(inputs));
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

class Money {
  readonly cents = 1;
}
class Price extends Money {
  toJSON(): string {
    return "0.01";
  }
}

const NO_DATA: Readonly<Record<string, readonly [changes: Partial<StepCommit>, message: string]>> = {
  "an output with a function": [{ output: { a: () => 1 } }, 'a function at "output.a"'],
  "an output with a class instance": [{ output: { list: [new Money()] } }, 'a Money at "output.list[0]"'],
  "an output with an instance that has toJSON": [{ output: { a: new Price() } }, 'a Price at "output.a"'],
  "an output with a promise": [{ output: { a: Promise.resolve(1) } }, 'a Promise at "output.a"'],
  "an output with a cycle": [{ output: cycle }, 'a cycle at "output.self"'],
  "an input with a symbol": [{ input: Symbol("a") }, 'a symbol at "input"'],
  "an event with a class instance": [{ events: [{ type: "a", payload: new Money() }] }, "a Money"],
  "a command's payload with a function": [{ commands: [emit("t", { a: () => 1 })] }, '"commands[0].payload.a"'],
  "an input of a fanout with an instance": [
    { commands: [emit("t", 1), fanout("step", [1, new Map([["a", new Money()]])], { then: "join" })] },
    'a Money at "commands[1].inputs[1][0][1]"',
  ],
  "a checkpoint with a stream": [
    { commands: [suspend({ reason: "r", checkpoint: { a: new ReadableStream() } })] },
    'a ReadableStream at "commands[0].checkpoint.a"',
  ],
  "a review's payload with a function": [{ commands: [review("r", () => 1)] }, 'a function at "commands[0].payload"'],
};

const REFUSED_VALUES: readonly ContractCase[] = [
  ...Object.entries(NO_DATA).map(([name, [changes, part]]) =>
    contractCase(`refuses ${name} without a write, and names its path`, async ({ store }) => {
      const error = errorOf(await store.commit(commitOf({ commands: [emit("t", 1)], ...changes })), "not_json");
      const advice = part.startsWith("a Promise") ? "Await it" : "Convert it to plain data";
      assert.match(
        error.message,
        new RegExp(`^The store didn't write any part of the change: a store can't store an? .*"\\. ${advice}\\b`),
      );
      assert.ok(error.message.includes(part), error.message);
      assert.deepEqual(valueOf(await store.list()), []);
      assert.deepEqual(await rowsOf(store), []);
    }),
  ),
  contractCase("refuses an output that is an array without a write", async ({ store }) => {
    const error = errorOf(await store.commit(commitOf({ output: [] })), "not_json");
    assert.equal(error.message, "The output must be an object, got array.");
    assert.deepEqual(valueOf(await store.list()), []);
  }),
];

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
        assert.match(error.message, /has 20\d\d bytes of JSON, which is more than maxBytes \(1000\)\./);
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
      "output has 20000011 bytes of JSON, which is more than maxBytes (16777216). " +
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
  KEEPS_DECISIONS,
  TELLS_APART,
  ...KEPT_NAMES,
  ...REFUSED,
  ...REFUSED_VALUES,
  ...LIMITS,
];
