import { afterEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import type { KeyBy } from "../kernel/diff/compare-rules.ts";
import { type Result, err, ok, unwrap } from "../kernel/result.ts";
import { type Command, emit, fanout, invoke, review, suspend } from "../kernel/step/command.ts";
import { defineStep } from "../kernel/step/define-step.ts";
import { defineWorkflow } from "../kernel/step/define-workflow.ts";
import type { AuditEvent } from "../kernel/step/context.ts";
import { run } from "../kernel/step/run.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import type { StepResult } from "../kernel/step/step-result.ts";
import { EXTRA_MATCHERS } from "../extra-matchers.ts";
import { createMatchers } from "./create-matchers.ts";
import { matchMultiset } from "./match-multiset.ts";
import "../vitest-types.ts";

const runner: { extend(matchers: object): void } = expect;
runner.extend(createMatchers(() => Promise.reject(new Error("no session")), EXTRA_MATCHERS));

const verify = defineStep({
  name: "verify",
  input: z.object({ id: z.string() }),
  output: z.object({}),
  run: () => ({ output: {} }),
});
const workflow = defineWorkflow({ name: "claims", version: "1", steps: { verify } });

function resultOf(commands?: readonly Command[], events: readonly AuditEvent[] = []): StepResult {
  return {
    input: {},
    output: {},
    events,
    ...(commands === undefined ? {} : { commands }),
    artifacts: [],
    stepName: "read",
    workflowId: "w",
    workflowVersion: "1",
    runId: "r",
  };
}

const failed: Result<StepResult, StepError> = err({
  code: "no_answer",
  message: "The model\u001b[31m answered nothing.",
  retryable: true,
});

/** The message an assertion fails with. */
async function message(assertion: () => unknown): Promise<string> {
  try {
    await assertion();
  } catch (thrown) {
    if (thrown instanceof Error) return thrown.message;
  }
  return "it passed";
}

test("toBeOk distinguishes success from failure, both ways", async () => {
  expect(ok(1)).toBeOk();
  expect(await run(verify, { id: "a" })).toBeOk();
  expect(failed).not.toBeOk();
  expect(await message(() => expect(failed).toBeOk())).toBe(
    String.raw`toBeOk: expected a success, got the error no_answer: The model\u001b[31m answered nothing. (retryable)`,
  );
  expect(await message(() => expect(ok(1)).not.toBeOk())).toBe("toBeOk: expected an error, got a success");
  expect(await message(() => expect(err("plain")).toBeOk())).toBe('toBeOk: expected a success, got the error "plain"');
  expect(await message(() => expect(err({ code: 4, message: Object.create(null) })).toBeOk())).toBe(
    "toBeOk: expected a success, got the error 4: {}",
  );
});

class Verdict {
  readonly ok: boolean = true;
}

test.each([
  [null, "null"],
  [undefined, "undefined"],
  ["ok", "string"],
  [[], "an array"],
  [Promise.resolve(ok(1)), "a promise (await it first)"],
  [verify, 'the step "verify" (run it first)'],
  [{ ok: "yes" }, "an object with a different shape"],
  [new Map([["ok", true]]), 'Map {"ok" => true}'],
  [new TypeError("no\u001b[2J"), String.raw`[TypeError: no\u001b[2J]`],
  [new Verdict(), 'Verdict {"ok": true}'],
])("toBeOk and toFailWith refuse a value that isn't a Result: %j", async (received, found) => {
  expect(await message(() => expect<unknown>(received).toBeOk())).toBe(`toBeOk expects a Result, got ${found}.`);
  expect(await message(() => expect<unknown>(received).not.toFailWith("x"))).toBe(
    `toFailWith expects a Result, got ${found}.`,
  );
});

test("toFailWith compares the code, and retryable if given", async () => {
  expect(failed).toFailWith("no_answer");
  expect(failed).toFailWith("no_answer", { retryable: true });
  expect(failed).not.toFailWith("other");
  expect(failed).not.toFailWith("no_answer", { retryable: false });
  expect(err("plain")).not.toFailWith("plain");
  const found = String.raw`got no_answer: The model\u001b[31m answered nothing. (retryable)`;
  expect(await message(() => expect(failed).toFailWith("other"))).toBe(
    `toFailWith: expected the error other, ${found}`,
  );
  expect(await message(() => expect(failed).toFailWith("no_answer", { retryable: false }))).toBe(
    `toFailWith: expected the error no_answer (not retryable), ${found}`,
  );
  expect(await message(() => expect(failed).not.toFailWith("no_answer", { retryable: true }))).toBe(
    `toFailWith: expected an error other than no_answer (retryable), ${found}`,
  );
  expect(await message(() => expect(ok(1)).toFailWith("other"))).toBe(
    "toFailWith: expected the error other, got a success",
  );
});

test("shortens a long error line by line", async () => {
  const long = err(kernelError("x", `${"a".repeat(2000)}\n`.repeat(30)));
  const shown = await message(() => expect(long).toBeOk());
  const lines = shown.split("\n");
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toBe("… and 21 more");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(600);
});

test("matchers of results accept the result, or a successful Result with it", () => {
  const result = resultOf([emit("done", 1)], [{ type: "read" }]);
  for (const received of [result, ok(result)]) {
    expect(received).toCommand(emit("done", 1));
    expect(received).toEmitEvent("read");
    expect(received).not.toBlockOn("review");
    expect(received).not.toInvoke("verify");
  }
});

test("a failed step fails all matchers, with .not too, because it returned no result", async () => {
  const found = String.raw`the step failed with no_answer: The model\u001b[31m answered nothing. (retryable)`;
  for (const on of [expect(failed), expect(failed).not]) {
    expect(await message(() => on.toCommand())).toBe(`toCommand: ${found}`);
    expect(await message(() => on.toEmitEvent("read"))).toBe(`toEmitEvent: ${found}`);
    expect(await message(() => on.toInvoke("verify"))).toBe(`toInvoke: ${found}`);
    expect(await message(() => on.toBlockOn("review"))).toBe(`toBlockOn: ${found}`);
    expect(await message(() => on.toHaveValidCommands())).toBe(`toHaveValidCommands: ${found}`);
  }
});

test("refuse a value that isn't a result", async () => {
  expect(await message(() => expect({}).toCommand())).toBe(
    "toCommand expects a StepResult, or a Result that contains a StepResult, got an object with a different shape.",
  );
  expect(await message(() => expect(ok(1)).toEmitEvent("a"))).toBe(
    "toEmitEvent expects a StepResult, or a Result that contains a StepResult, got an object with a different shape.",
  );
  expect(await message(() => expect<unknown>(verify).toInvoke("a"))).toBe(
    'toInvoke expects a StepResult, or a Result that contains a StepResult, got the step "verify" (run it first).',
  );
  expect(await message(() => expect<unknown>(run(verify, { id: "a" })).toBlockOn("review"))).toBe(
    "toBlockOn expects a StepResult, or a Result that contains a StepResult, got a promise (await it first).",
  );
  expect(await message(() => expect<unknown>(1).toHaveValidCommands())).toBe(
    "toHaveValidCommands expects a StepResult, or a Result that contains a StepResult, got number.",
  );
});

test("toEmitEvent compares the type, and the payload if given", async () => {
  const result = resultOf([], [{ type: "read", payload: { pages: 2 } }, { type: "done" }]);
  expect(result).toEmitEvent("read");
  expect(result).toEmitEvent("read", { pages: expect.any(Number) });
  expect(result).toEmitEvent("done", undefined);
  expect(await message(() => expect(result).not.toEmitEvent("read", undefined))).toBe(
    'toEmitEvent: expected no event "read", got {"payload":{"pages":2},"type":"read"}',
  );
  expect(await message(() => expect(result).toEmitEvent("written"))).toBe(
    'toEmitEvent: expected an event "written", got "read", "done"',
  );
  expect(await message(() => expect(result).toEmitEvent("read", { pages: 3 }))).toBe(
    'toEmitEvent: expected an event "read" with {"pages":3}, got {"payload":{"pages":2},"type":"read"}',
  );
  expect(await message(() => expect(result).not.toEmitEvent("done"))).toBe(
    'toEmitEvent: expected no event "done", got {"type":"done"}',
  );
  expect(await message(() => expect(resultOf()).toEmitEvent("a\u202e"))).toBe(
    String.raw`toEmitEvent: expected an event "a\u202e", got no events`,
  );
});

test("toEmitEvent lists ten events of 160 characters, and counts the rest", async () => {
  const events = Array.from({ length: 25 }, (_, index) => ({ type: "read", payload: `${index}`.padEnd(10_000, "x") }));
  const shown = await message(() => expect(resultOf([], events)).toEmitEvent("read", "y"));
  expect(shown.endsWith(", … and 15 more")).toBe(true);
  expect(shown.length).toBeLessThan(2200);
});

test("under .not, an undefined input or payload is any", async () => {
  const result = resultOf([emit("paid", { euros: 5 }), invoke("verify", { id: "a" })]);
  expect(await message(() => expect(result).not.toCommand(emit("paid", undefined)))).toContain('"topic":"paid"');
  expect(await message(() => expect(result).not.toCommand(invoke("verify", undefined)))).toContain('"step":"verify"');
  expect(await message(() => expect(result).not.toInvoke("verify", undefined))).toBe(
    'toInvoke: expected no invocation of "verify", got {"id":"a"}',
  );
  const approved = resultOf([emit("paid", { approvedBy: "ann" })]);
  expect(approved).not.toCommand(emit("paid", { approvedBy: undefined }));
});

test("under .not, names with an empty part are refused, because they would match nothing", () => {
  const result = resultOf([emit("paid", 1), invoke("verify", {})], [{ type: "read.mail", payload: 1 }]);
  const text = (matcher: string, name: string, path: string): string =>
    `${matcher}: under .not, "${name}" has an empty part, which no name has. Use "${path}", which also covers the names below it, or a RegExp.`;
  expect(() => expect(result).not.toEmitEvent("read.")).toThrow(new TypeError(text("toEmitEvent", "read.", "read")));
  expect(() => expect(result).not.toInvoke(".verify")).toThrow(new TypeError(text("toInvoke", ".verify", "verify")));
  expect(() => expect(result).not.toFailWith("..")).toThrow(new TypeError(text("toFailWith", "..", "**")));
});

test("under .not, toInvoke covers steps that a command schedules for later", async () => {
  const later = [fanout("rate", [{ id: 1 }], { then: "join" })];
  const resumed = [suspend({ reason: "wait", checkpoint: {}, resumeStep: "join" })];
  for (const commands of [later, resumed]) {
    expect(await message(() => expect(resultOf(commands)).not.toInvoke("join"))).toBe(
      'toInvoke: expected no invocation of "join", got "join"',
    );
    expect(resultOf(commands)).not.toInvoke("other");
  }
});

test("toFailWith takes RegExps, and under .not patterns of any case", async () => {
  expect(failed).toFailWith(/^no_/);
  expect(failed).not.toFailWith(/^yes_/);
  for (const code of [/answer/, "NO_ANSWER", "no_*"])
    expect(await message(() => expect(failed).not.toFailWith(code)), String(code)).toContain("an error other than");
  expect(await message(() => expect(failed).toFailWith("no_*"))).toContain("expected the error no_*");
});

test("refuses misspelt options and types", async () => {
  const options: object = { retriable: true };
  expect(await message(() => expect(failed).toFailWith("no_answer", options))).toBe(
    'toFailWith: unknown option "retriable". Did you mean "retryable"?',
  );
  const command = JSON.parse('{"type":"reveiw"}');
  for (const on of [expect(resultOf()), expect(resultOf()).not])
    expect(await message(() => on.toCommand(command))).toBe('toCommand: type is "reveiw". Did you mean "review"?');
});

test("under .not, toCommand refuses fields that no such command has, because they would match nothing", async () => {
  const result = resultOf([emit("paid", { euros: 5 }), review("check", {})]);
  for (const [wanted, problem] of [
    [{ type: "emit", topic: "paid", paylod: {} }, 'a field of emit is "paylod". Did you mean "payload"?'],
    [
      { type: "review", topic: "check" },
      'a field of review is "topic". Use one of these: "type", "reason", "payload", "timeout".',
    ],
    [{ type: /emit|invoke/, topci: "paid" }, 'a field of a command is "topci". Did you mean "topic"?'],
    [{ resn: "check" }, 'a field of a command is "resn". Did you mean "reason"?'],
  ] as const)
    expect(await message(() => assertCommand(expect(result).not, wanted))).toBe(`toCommand: ${problem}`);
  assertCommand(expect(result).not, { asymmetricMatch: () => false, name: "none" });
  assertCommand(expect(result).not, { type: /emit|invoke/, topic: "refunded" });
});

test("toCommand compares fields that no such command has, and shows a misspelt one in its difference", async () => {
  const traced = resultOf([Object.assign(emit("paid", 1), { traceId: "t1" })]);
  assertCommand(expect(traced), { ...emit("paid", 1), traceId: "t1" });
  expect(await message(() => assertCommand(expect(traced), { ...emit("paid", 1), trceId: "t1" }))).toBe(
    'toCommand: the commands differ\n- missing {"payload":1,"topic":"paid","trceId":"t1","type":"emit"}\n+ unexpected {"payload":1,"topic":"paid","traceId":"t1","type":"emit"}',
  );
});

test("toCommand compares commands as a multiset", async () => {
  const result = resultOf([emit("a", 1), emit("b", { at: 5 }), emit("a", 1)]);
  expect(result).toCommand(emit("b", { at: 5 }), emit("a", 1), emit("a", 1));
  expect(result).toCommand(emit("a", 1), expect.objectContaining({ topic: "b" }), expect.anything());
  expect(await message(() => expect(result).toCommand(emit("a", 1), emit("b", { at: 5 })))).toBe(
    'toCommand: the commands differ\n+ unexpected {"payload":1,"topic":"a","type":"emit"}',
  );
  expect(resultOf()).toCommand();
  expect(await message(() => expect(result).toCommand(emit("a", 1), emit("c", 2), emit("b", { at: 5 })))).toBe(
    'toCommand: the commands differ\n- missing {"payload":2,"topic":"c","type":"emit"}\n+ unexpected {"payload":1,"topic":"a","type":"emit"}',
  );
  expect(await message(() => expect(result).toCommand())).toBe(
    'toCommand: the commands differ\n+ unexpected {"payload":1,"topic":"a","type":"emit"}\n+ unexpected {"payload":{"at":5},"topic":"b","type":"emit"}\n+ unexpected {"payload":1,"topic":"a","type":"emit"}',
  );
  expect(resultOf([])).not.toCommand();
  expect(await message(() => expect(resultOf([emit("paid", 1)])).not.toCommand())).toBe(
    'toCommand: expected none of these commands, got\n  {"payload":1,"topic":"paid","type":"emit"}',
  );
});

test(".not fails for one of the commands, a part of one, a RegExp or a function", async () => {
  const result = resultOf([emit("a", 1), invoke("pay", { order: 3, amount: 12 })]);
  const found = `toCommand: expected none of these commands, got
  {"input":{"amount":12,"order":3},"step":"pay","type":"invoke"}`;
  expect(await message(() => expect(result).not.toCommand(invoke("pay", { order: 3, amount: 12 })))).toBe(found);
  expect(await message(() => expect(result).not.toCommand(invoke("pay", { order: 3 }), emit("z", 1)))).toBe(found);
  expect(await message(() => expect(result).not.toCommand(/"pay"/))).toBe(found);
  expect(await message(() => expect(result).not.toCommand((command) => command.type === "invoke"))).toBe(found);
  expect(result).not.toCommand(invoke("pay", { order: 4 }), emit("b", 1));
  expect(result).toCommand(/"topic":"a"/, ({ type }) => type === "invoke");
});

/** Calls the matcher with what its type refuses. */
function assertCommand(on: { toCommand(...wanted: never[]): unknown }, wanted: unknown): void {
  Reflect.apply(on.toCommand, on, [wanted]);
}

test(".not treats names of topics and steps as patterns, and ignores case", async () => {
  const received = resultOf([emit("user.deleted", { id: 7 }), invoke("audit", { id: 7 })]);
  for (const wanted of [
    { type: "emit", topic: "USER.DELETED" },
    { type: "emit", topic: "user.*" },
    { type: "emit", topic: "deleted", payload: { id: 7 } },
    { type: "emit", topic: /^deleted/ },
    { type: "invoke", step: /^aud/ },
    { type: "invoke", step: "Aud*" },
    { type: "invoke", step: "audit", input: { id: 7, reason: undefined } },
  ])
    expect(await message(() => assertCommand(expect(received).not, wanted))).toContain(
      "toCommand: expected none of these commands, got",
    );
  expect(received).not.toCommand(emit("user.added", { id: 7 }), invoke("audit", { id: 8 }));
  assertCommand(expect(received).not, { type: "emit", topic: /^(?!user\.)/ });
});

test.each([
  ["user.deleted", '"user.deleted"'],
  [undefined, "undefined"],
  [7, "7"],
  [[{ type: "emit" }], "["],
])("toCommand refuses %j, which isn't a command", (wanted, found) => {
  const received = resultOf([emit("user.deleted", 1)]);
  for (const on of [expect(received), expect(received).not])
    expect(() => assertCommand(on, wanted)).toThrow(`toCommand expects commands, functions or RegExps, got ${found}`);
});

test("toEmitEvent and toInvoke accept patterns, RegExps and functions, and .not matches a part", async () => {
  const result = resultOf(
    [invoke("order.cancel", { order: 3, by: "agent" })],
    [{ type: "user.deleted", payload: { id: 4, name: "Ada" } }],
  );
  expect(result).toEmitEvent("user.*", { id: 4, name: /^A/ });
  expect(result).toInvoke(/^order/, ({ order }: { order: number }) => order === 3);
  expect(result).not.toEmitEvent("user.created");
  expect(result).not.toInvoke("order.*", { order: 4 });
  const event = 'got {"payload":{"id":4,"name":"Ada"},"type":"user.deleted"}';
  expect(await message(() => expect(result).not.toEmitEvent("user.*"))).toBe(
    `toEmitEvent: expected no event "user.*", ${event}`,
  );
  expect(await message(() => expect(result).not.toEmitEvent("USER.deleted", { id: 4 }))).toBe(
    `toEmitEvent: expected no event "USER.deleted" with {"id":4}, ${event}`,
  );
  expect(await message(() => expect(result).not.toEmitEvent("user.deleted", /Ada/))).toContain(event);
  expect(await message(() => expect(result).not.toEmitEvent(/^deleted$/))).toContain(event);
  const invocation = 'got {"by":"agent","order":3}';
  expect(await message(() => expect(result).not.toInvoke("order.c*", { order: 3 }))).toBe(
    `toInvoke: expected no invocation of "order.c*" with {"order":3}, ${invocation}`,
  );
  expect(await message(() => expect(result).not.toInvoke("order"))).toContain(invocation);
  expect(await message(() => expect(result).not.toInvoke(/^cancel/))).toContain(invocation);
  expect(await message(() => expect(result).toInvoke("order"))).toBe(
    'toInvoke: expected an invocation of "order", got "order.cancel"',
  );
});

test.each([
  [
    "a blank type",
    () => expect(resultOf()).not.toEmitEvent(" "),
    "toEmitEvent: expected a name, a pattern or a RegExp, got a blank string.",
  ],
  [
    "a schema",
    () => expect(resultOf()).not.toInvoke("pay", z.object({})),
    "toInvoke: can't match a ZodObject. Use data, a function, a RegExp or an asymmetric matcher.",
  ],
  [
    "a promise",
    () => expect(resultOf()).not.toEmitEvent("paid", Promise.resolve(1)),
    "toEmitEvent: can't match a Promise. Use data, a function, a RegExp or an asymmetric matcher.",
  ],
  [
    "a function that returns no boolean",
    () => expect(resultOf([emit("a", 1)])).not.toCommand(() => JSON.parse("null")),
    "toCommand: the function must return a boolean, got null.",
  ],
])("matchers of results refuse %s", async (_what, assertion, told) => {
  expect(await message(assertion)).toBe(told);
});

test("toCommand shows twenty commands of 160 characters, and counts the rest", async () => {
  const commands = Array.from({ length: 50 }, (_, index) => emit("a", `${index}`.repeat(1000)));
  const lines = (await message(() => expect(resultOf(commands)).toCommand())).split("\n");
  expect(lines).toHaveLength(22);
  expect(lines.at(-1)).toBe("… and 30 more");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(220);
});

test("an asymmetric matcher leaves an item to another one that only matches it", () => {
  const fits = (wanted: readonly number[], found: number): boolean => wanted.includes(found);
  expect(matchMultiset([[1, 2, 3], [1, 2], [1]], [1, 2, 3], fits)).toStrictEqual({ missing: [], unexpected: [] });
  expect(matchMultiset([[1], [1], [2]], [1, 2, 3], fits)).toStrictEqual({ missing: [[1]], unexpected: [3] });
});

test("matches five hundred equal commands in no time", () => {
  const items = Array.from({ length: 500 }, () => emit("a", 1));
  let asked = 0;
  const match = matchMultiset(items, items, (a, b) => (asked += 1) > 0 && a.type === b.type);
  expect([match, asked]).toStrictEqual([{ missing: [], unexpected: [] }, 250_000]);
});

test("toInvoke accepts invoke and fanout, and compares inputs if given", async () => {
  const result = resultOf([invoke("verify", { id: "a" }), fanout("score", [1, 2])]);
  expect(result).toInvoke("verify");
  expect(result).toInvoke("verify", { id: expect.any(String) });
  expect(result).toInvoke("score", 2);
  expect(result).not.toInvoke("score", 3);
  expect(await message(() => expect(result).toInvoke("other"))).toBe(
    'toInvoke: expected an invocation of "other", got "verify", "score"',
  );
  expect(await message(() => expect(result).toInvoke("score", 3))).toBe(
    'toInvoke: expected an invocation of "score" with 3, got 1, 2',
  );
  expect(await message(() => expect(result).not.toInvoke("verify", { id: "a" }))).toBe(
    'toInvoke: expected no invocation of "verify" with {"id":"a"}, got {"id":"a"}',
  );
  expect(await message(() => expect(resultOf()).toInvoke("verify"))).toBe(
    'toInvoke: expected an invocation of "verify", got none',
  );
  const many = resultOf([
    fanout(
      "score",
      Array.from({ length: 25 }, (_, index) => index),
    ),
  ]);
  expect(await message(() => expect(many).toInvoke("score", -1))).toBe(
    'toInvoke: expected an invocation of "score" with -1, got 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … and 15 more',
  );
});

test("toBlockOn distinguishes review, suspend and neither", async () => {
  expect(resultOf([review("unsure")])).toBlockOn("review");
  expect(resultOf([suspend({ reason: "wait", checkpoint: 1 })])).toBlockOn("suspend");
  expect(await message(() => expect(resultOf([review("unsure")])).toBlockOn("suspend"))).toBe(
    'toBlockOn: expected a suspend, got review "unsure"',
  );
  expect(await message(() => expect(resultOf([review("unsure")])).not.toBlockOn("review"))).toBe(
    'toBlockOn: expected no review, got review "unsure"',
  );
  expect(await message(() => expect(resultOf([emit("a", 1)])).toBlockOn("review"))).toBe(
    "toBlockOn: expected a review, got no blocking command",
  );
});

test.each([
  "Review",
  "reviews",
  "*",
  /review/u,
  undefined,
  ["review"],
  () => true,
])("toBlockOn refuses %s, which it can't mean, under .not too", async (type) => {
  const [on, off] = [expect(resultOf([review("unsure")])), expect(resultOf([review("unsure")])).not];
  const refusal = /^toBlockOn expects "review" or "suspend", got /;
  expect(await message(() => Reflect.apply(off.toBlockOn, off, [type]))).toMatch(refusal);
  expect(await message(() => Reflect.apply(on.toBlockOn, on, [type]))).toMatch(refusal);
});

test("an undefined input of toInvoke is any input, as in toCall", async () => {
  const invoked = resultOf([invoke("rate", { id: 1 })]);
  expect(invoked).toInvoke("rate", undefined);
  expect(await message(() => expect(invoked).not.toInvoke("rate", undefined))).toContain("toInvoke");
});

test("toHaveValidCommands accepts valid commands, with and without a workflow", async () => {
  const sound = resultOf([invoke("verify", { id: "a" }), review("unsure"), emit("a", null)]);
  await expect(sound).toHaveValidCommands();
  await expect(ok(sound)).toHaveValidCommands(workflow);
  await expect(resultOf()).toHaveValidCommands(workflow);
  expect(await message(() => expect(sound).not.toHaveValidCommands())).toBe(
    "toHaveValidCommands: expected a problem, got none",
  );
});

test("toHaveValidCommands lists every problem with its path", async () => {
  const commands = [
    invoke("verify", { id: 1 }),
    invoke("other", {}),
    review("a"),
    review("b"),
    fanout("verify", [{ id: "a" }, {}]),
  ];
  const unsound = unwrap(ok({ ...resultOf(commands), commands: [...commands, { type: "bogus" }] }));
  expect(await message(() => expect(unsound).toHaveValidCommands(workflow))).toMatchInlineSnapshot(`
    "toHaveValidCommands: the commands are invalid
      commands: at most one blocking command is allowed, found 2: review "a", review "b"
      commands[0]: input of invoke "verify": id: Invalid input: expected string, received number
      commands[1]: Step "other" not found in workflow "claims". Known steps: "verify".
      commands[4]: inputs[1] of fanout "verify": id: Invalid input: expected string, received undefined
      commands[5]: type: Invalid discriminator value. Expected 'invoke' | 'fanout' | 'review' | 'emit' | 'suspend'"
  `);
  await expect(resultOf([invoke("other", {})])).toHaveValidCommands();
  await expect(unsound).not.toHaveValidCommands();
});

test("toHaveValidCommands shows twenty problems, and counts the rest", async () => {
  const lines = (
    await message(() =>
      expect(resultOf(Array.from({ length: 50 }, () => invoke("other", {})))).toHaveValidCommands(workflow),
    )
  ).split("\n");
  expect(lines).toHaveLength(22);
  expect(lines.at(-1)).toBe("… and 30 more");
});

test("toEqualByKey compares keyed arrays in any order: by path, by field, by function", async () => {
  const a = [
    { id: "x", n: 1 },
    { id: "y", n: 2 },
  ];
  const b = a.toReversed();
  expect(a).toEqualByKey(b, "id");
  expect(a).toEqualByKey(b, (item) => JSON.stringify(item));
  expect({ claims: a, at: new Date(0) }).toEqualByKey({ claims: b, at: "1970-01-01T00:00:00.000Z" }, { claims: "id" });
  expect({ claims: a }).not.toEqualByKey({ claims: b }, {});
  // An array is no record of the same keys.
  const record = Object.fromEntries(a.map((one) => [one.id, one]));
  expect(record).not.toEqualByKey(a, "id");
  expect({ claims: record }).not.toEqualByKey({ claims: a }, { claims: "id" });
  expect(1).toEqualByKey(1, "id");
  expect(await message(() => expect([{ id: "y", n: 3 }, { id: "x", n: 1 }, { id: "z" }]).toEqualByKey(a, "id"))).toBe(
    'toEqualByKey: the values differ (expected → received)\n  y.n: 2 → 3\n+ z: {"id":"z"}',
  );
  expect(await message(() => expect(a).not.toEqualByKey(b, "id"))).toBe(
    "toEqualByKey: expected a difference, got none",
  );
  expect(await message(() => expect([...a, ...a]).toEqualByKey(a, "id"))).toBe('keyBy: duplicate key "x" in (root)');
  expect(await message(() => expect({ claims: [{}] }).toEqualByKey({ claims: [] }, { claims: "id" }))).toBe(
    'keyBy: element at claims[0] has no field "id"',
  );
});

test.each<[string, unknown, KeyBy | string]>([
  ["another list", { claims: [{ id: 1 }] }, { lines: "id" }],
  ["a list itself", [{ id: 1 }], { "": "id" }],
  ["a value without lists", { n: 1 }, "id"],
])("toEqualByKey refuses under .not a keyBy that doesn't name %s", async (_what, value, keyBy) => {
  expect(() => expect(value).not.toEqualByKey({ n: 2 }, keyBy)).toThrow(
    new TypeError(
      'toEqualByKey: under .not, keyBy must name a list of these values by its path, such as { claims: "id" }. ' +
        'For lists themselves, pass the key: toEqualByKey(expected, "id").',
    ),
  );
});

test("toEqualByKey shows ten changes of 160 characters for each value, and counts the rest", async () => {
  const rows = (fill: string): object => Array.from({ length: 30 }, (_, id) => ({ id, text: fill.repeat(5000) }));
  const lines = (await message(() => expect(rows("a")).toEqualByKey(rows("b"), "id"))).split("\n");
  expect(lines).toHaveLength(12);
  expect(lines.at(-1)).toBe("  … and 20 more changes");
  expect(lines[1]).toMatch(/^ {2}0\.text: "b{159}… \(\+4842 characters\) → "a{159}… \(\+4842 characters\)$/);
});

function costing(
  ...traces: readonly (readonly [prompt: number, completion: number, durationMs: number])[]
): StepResult {
  const events = traces.map(([promptTokens, completionTokens, durationMs]) => ({
    type: "asked",
    llmTrace: { model: "m", promptTokens, completionTokens, durationMs, inputHash: "a", outputHash: "b" },
  }));
  return resultOf([], events);
}

test("toStayWithin adds up the usage of model calls", async () => {
  const result = costing([900, 100, 300.4], [1000, 200, 400]);
  expect(result).toStayWithin({ maxTokens: 2200, maxCalls: 2, maxDurationMs: 701 });
  expect(ok(result)).toStayWithin({ maxCalls: 2 });
  expect(await message(() => expect(result).toStayWithin({ maxTokens: 2000, maxCalls: 1, maxDurationMs: 700 }))).toBe(
    "toStayWithin: 2 calls, 2200 tokens, 700 ms\n  tokens: 2200 (maximum: 2000)\n  calls: 2 (maximum: 1)\n  ms: 700.4 (maximum: 700)",
  );
  expect(result).not.toStayWithin({ maxTokens: 1 });
  expect(await message(() => expect(result).not.toStayWithin({ maxCalls: 2 }))).toBe(
    "toStayWithin: expected to exceed the budget, got 2 calls, 2200 tokens, 700 ms",
  );
  expect(await message(() => expect(failed).toStayWithin({ maxCalls: 1 }))).toContain(
    "toStayWithin: the step failed with no_answer",
  );
});

test("toStayWithin counts stored traces once; unreported tokens are within no budget", async () => {
  const traceOf = (usage: object): object => ({ promptTokens: 0, completionTokens: 0, durationMs: 5, usage });
  const kept = (usage: object): StepResult => ({
    ...costing([10, 10, 5]),
    artifacts: [{ kind: "llm-trace", hash: "sha256:a", content: traceOf(usage) }],
  });
  expect(kept({ raw: {} })).toStayWithin({ maxTokens: 0, maxCalls: 1 });
  expect(kept({ raw: null })).toStayWithin({ maxCalls: 1 });
  expect(await message(() => expect(kept({ raw: null })).toStayWithin({ maxTokens: 100 }))).toBe(
    "toStayWithin: 1 call, 0 tokens, 5 ms\n  1 of 1 call didn't report tokens, so the total is unknown. Report their usage, or remove maxTokens and maxCost from the budget",
  );
  const hashOnly: StepResult = { ...resultOf(), artifacts: [{ kind: "llm-trace", hash: "sha256:a" }] };
  expect(await message(() => expect(hashOnly).toStayWithin({ maxTokens: 100 }))).toContain(
    "1 of 1 call didn't report tokens",
  );
});

describe("a cost budget", () => {
  const tracedBy = (...contents: readonly object[]): StepResult => ({
    ...resultOf(),
    artifacts: contents.map((content) => ({ kind: "llm-trace", hash: "sha256:a", content })),
  });
  const traced = (...models: readonly (string | undefined)[]): StepResult =>
    tracedBy(...models.map((model) => ({ model, promptTokens: 1_000, completionTokens: 200, durationMs: 5 })));
  const prices = {
    "gpt-5": { input: 1.25, output: 10 },
    "gpt-*": { input: 2, output: 4 },
    free: { input: 0, output: 0 },
  };

  afterEach(() => vi.unstubAllEnvs());

  test("adds up the price of each model, by its name before a pattern", async () => {
    vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ prices }));
    expect(traced("gpt-5", "gpt-4o-mini", "free")).toStayWithin({ maxCost: 0.00605 });
    expect(await message(() => expect(traced("gpt-5", "gpt-4o-mini")).toStayWithin({ maxCost: 0.006 }))).toBe(
      "toStayWithin: 2 calls, 2400 tokens, 10 ms, $0.0060\n  cost: $0.00605 (maximum: $0.006)",
    );
  });

  test.each<[string, readonly (string | undefined)[], string]>([
    [
      "of a model without a price",
      ["gpt-5", "claude\u202e", "claude\u202e"],
      'the price of "claude\\u202e" is unknown. Add it to prices',
    ],
    ["of a model without a name", ["gpt-5", undefined], 'the price of "(no name)" is unknown. Add it to prices'],
  ])("doesn't pass a call %s", async (_what, models, line) => {
    vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ prices }));
    const failure = await message(() => expect(traced(...models)).toStayWithin({ maxCost: 100 }));
    expect(failure.split("\n").slice(1)).toStrictEqual([`  ${line}`]);
  });

  test("doesn't pass without prices or token counts", async () => {
    expect(await message(() => expect(traced("gpt-5")).toStayWithin({ maxCost: 1 }))).toBe(
      "toStayWithin: 1 call, 1200 tokens, 5 ms\n  the configuration doesn't set prices, so the cost is unknown. " +
        'Add prices: { "gpt-5*": { input: 1.25, output: 10 } } to veritest.config (US dollars per million tokens)',
    );
    vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ prices }));
    const uncounted = tracedBy({ model: "gpt-5" });
    expect(await message(() => expect(uncounted).toStayWithin({ maxCost: 1 }))).toBe(
      "toStayWithin: 1 call, 0 tokens, 0 ms, $0.00\n  1 of 1 call didn't report tokens, so the total is unknown. Report their usage, or remove maxTokens and maxCost from the budget",
    );
    expect(await message(() => expect(resultOf()).toStayWithin({ maxCost: 1 }))).toContain(
      "no model call reported its tokens",
    );
  });
});

test("toStayWithin doesn't pass without traces, except for a budget of no calls", async () => {
  expect(await message(() => expect(resultOf()).toStayWithin({ maxTokens: 100 }))).toBe(
    "toStayWithin: 0 calls, 0 tokens, 0 ms\n  the budget can't be checked, because no model call reported its tokens. Call the model with an adapter of veritest/llm, or report events with an llmTrace",
  );
  expect(resultOf()).toStayWithin({ maxCalls: 0 });
});

test.each<[object | undefined, string]>([
  [{}, "toStayWithin: pass a budget: { maxTokens, maxCalls, maxTurns, maxToolCalls, maxDurationMs, maxCost }."],
  [undefined, "toStayWithin: pass a budget: { maxTokens, maxCalls, maxTurns, maxToolCalls, maxDurationMs, maxCost }."],
  [{ maxTokens: -1 }, "toStayWithin: maxTokens must be 0 or more, got -1."],
  [{ maxCalls: "2" }, "toStayWithin: maxCalls must be 0 or more, got 2."],
])("toStayWithin refuses the budget %o", async (budget, refusal) => {
  expect(
    await message(() => Reflect.apply(Reflect.get(expect(resultOf()), "toStayWithin"), expect(resultOf()), [budget])),
  ).toBe(refusal);
});
