import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { unwrap } from "../kernel/result.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import type { StepBaseline } from "./baseline.ts";
import { createStepBaseline } from "./create-baseline.ts";
import { withReferences, withoutReferences } from "./earlier-requests.ts";
import { parseBaseline } from "./parse-baseline.ts";
import { isLaidOut, serializeBaseline, verifySerialized, writtenBaseline } from "./serialize-baseline.ts";
import { runCount } from "../../test-support/run-count.ts";

const SYSTEM = "You are a careful engineer, and you read each file before you change it. ".repeat(8);
const TOOLS = [
  { name: "read", description: "Reads one file of the repository, by its path from the root. ".repeat(3) },
];

interface Message {
  readonly role: string;
  readonly content: string;
}

function message(role: string, content: string): Message {
  return { role, content };
}

function requestOf(messages: readonly Message[], adapter: string = "llm.chat"): AdapterCall {
  const request = [{ model: "m", tools: TOOLS, messages }];
  return { adapter, occurrence: 0, returns: "promise", request, response: message("assistant", "Done.") };
}

/** The calls of an agent that reads one file in each turn. */
function agentCalls(turns: number, system: string = SYSTEM): AdapterCall[] {
  const messages = [message("system", system), message("user", "Fix the test that fails.")];
  return Array.from({ length: turns }, (_, turn) => {
    const path = `src/${turn}.ts`;
    const call = requestOf([...messages]);
    messages.push(message("assistant", `I read ${path} now. ${"Because of it. ".repeat(12)}`));
    messages.push(message("tool", `content of ${path}: ${"const x = 1; ".repeat(20)}`));
    const read = { adapter: "tools.read", occurrence: 0, returns: "promise", request: [{ path }] } as const;
    return [call, { ...read, response: messages.at(-1)?.content }];
  }).flat();
}

function baselineOf(calls: readonly AdapterCall[]): StepBaseline {
  const step = { stepName: "agent", workflowId: "w", workflowVersion: "1" };
  const result = { input: { task: 1 }, output: { done: true }, events: [], commands: [], artifacts: [], ...step };
  return createStepBaseline(result, calls, { name: "agent" });
}

function read(text: string): unknown {
  return unwrap(parseBaseline(text, "agent.json"));
}

test("the file of an agent is at most four times its conversation, and reads back unchanged", () => {
  const calls = agentCalls(24);
  const baseline = baselineOf(calls);
  const text = writtenBaseline(baseline);
  const conversation = JSON.stringify(calls.at(-2)?.request).length;
  expect(JSON.stringify(baseline, undefined, 2).length).toBeGreaterThan(15 * conversation);
  expect(text.length).toBeLessThan(4 * conversation);
  expect([read(text), verifySerialized(text), isLaidOut(text)]).toStrictEqual([baseline, undefined, true]);
});

test.each([0, 2])("the same for requests that are texts of JSON, with an indent of %i", (indent) => {
  const calls = agentCalls(30).map((call) =>
    call.adapter === "llm.chat" && isArray(call.request)
      ? { ...call, request: [{ body: JSON.stringify(call.request[0], undefined, indent), method: "POST" }] }
      : call,
  );
  const last = calls.findLast(({ adapter }) => adapter === "llm.chat");
  const baseline = baselineOf(calls);
  const text = serializeBaseline(baseline);
  expect(text.length).toBeLessThan(4 * JSON.stringify(last?.request).length);
  expect([read(text), verifySerialized(text), isLaidOut(text)]).toStrictEqual([baseline, undefined, true]);
  // Earlier versions wrote each text in full.
  const { callsHash: _hash, ...fields } = JSON.parse(text);
  const sorted = baseline.calls.map((call) =>
    Object.fromEntries(Object.entries(call).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );
  const full = { ...fields, calls: sorted, artifacts: baseline.artifacts };
  expect(isLaidOut(`${JSON.stringify(full, undefined, 2)}\n`)).toBe(true);
});

test("texts of JSON that can't be restored from their content stay texts", () => {
  const long = "a".repeat(2500);
  const texts = [
    `{"b": 1, "long":"${long}"}`,
    `{"$t":"earlier","long":"${long}"}`,
    `{"2":1,"1":"${long}"}`,
    `{"${long}"`,
  ];
  for (const text of texts) {
    const baseline = baselineOf(
      [`${text}1`, text, `${text} `].map((body) => ({ ...requestOf([]), request: [{ body }] })),
    );
    const file = serializeBaseline(baseline);
    expect([read(file), file.includes('"json"')]).toStrictEqual([baseline, false]);
  }
});

test("one word in the system prompt of an agent is one changed line and the hash of its calls", () => {
  const [before, after] = [SYSTEM, `${SYSTEM}Hurry.`].map((system) =>
    writtenBaseline(baselineOf(agentCalls(24, system))).split("\n"),
  );
  const changed = after?.filter((line, index) => line !== before?.[index]);
  expect(after).toHaveLength(before?.length ?? 0);
  expect(changed?.map((line) => line.trim().slice(0, 12))).toStrictEqual(['"content": "', '"callsHash":']);
});

test("one more turn only adds lines, and changes the hash of the calls", () => {
  const [before, after] = [12, 13].map((turns) => writtenBaseline(baselineOf(agentCalls(turns))).split("\n"));
  const removed = before?.filter((line) => after?.includes(line) !== true);
  expect(removed?.map((line) => line.trim().slice(0, 12))).toStrictEqual(['"callsHash":']);
});

test("the file of an agent that appends to one prompt grows by what it appends", () => {
  const answer = (turn: number): string => `Turn ${turn}: I read the next file, and note what it does. `.repeat(6);
  const [before, after] = [SYSTEM, `${SYSTEM}Hurry.`].map((system) => {
    let prompt = system;
    return Array.from({ length: 24 }, (_, turn): AdapterCall => {
      const response = answer(turn);
      const request = turn % 2 === 0 ? [prompt] : [{ model: "m", prompt }];
      prompt += `\n${response}`;
      return { adapter: `llm.${turn % 2}`, occurrence: 0, returns: "promise", request, response };
    });
  });
  const texts = [before, after].map((calls) => writtenBaseline(baselineOf(calls ?? [])));
  const [text = "", other = ""] = texts;
  expect(text.length).toBeLessThan(4 * (SYSTEM.length + 24 * answer(10).length));
  expect(texts.map(read)).toStrictEqual([baselineOf(before ?? []), baselineOf(after ?? [])]);
  const lines = text.split("\n");
  const changed = other.split("\n").filter((line, index) => line !== lines[index]);
  expect(changed.map((line) => line.trim().slice(0, 12))).toStrictEqual([
    '"You are a c',
    '"prompt": "Y',
    '"callsHash":',
  ]);
  const unknown = text.replace(/"then": "[^"]*"/, '"then": 1');
  expect(parseBaseline(unknown, "agent.json")).toMatchObject({
    ok: false,
    error: expect.stringContaining("a request reuses part of an earlier request, which isn't in the file"),
  });
});

test("a request stores only new parts, and refers to earlier lists, equal parts and calls", () => {
  const [system, user, answer] = [SYSTEM, `Fix it. ${"Now. ".repeat(30)}`, `I will. ${"Soon. ".repeat(30)}`].map(
    (content, index) => message(["system", "user", "assistant"][index] ?? "", content),
  );
  if (system === undefined || user === undefined || answer === undefined) throw new Error("three messages");
  const other = [message("system", `Judge. ${SYSTEM}`), message("user", "Is it right?")];
  const calls = [
    requestOf([system, user]),
    requestOf(other),
    // Not the call before it, but the one that has its messages.
    requestOf([system, user, answer]),
    // A window that lost its second message.
    requestOf([system, answer, user]),
  ];
  const file: unknown = JSON.parse(serializeBaseline(baselineOf(calls)));
  const written = isPlainObject(file) && isArray(file["calls"]) ? file["calls"].filter(isPlainObject) : [];
  const requests = written.map(({ request, earlier = 1 }) => [request, earlier]);
  const tools = { $t: "earlier" };
  expect(requests).toStrictEqual([
    [[{ messages: [system, user].map(sorted), model: "m", tools: TOOLS.map(sorted) }], 1],
    [[{ messages: other.map(sorted), model: "m", tools }], 1],
    [[{ messages: [{ $t: "earlier", v: 2 }, sorted(answer)], model: "m", tools }], 2],
    [[{ messages: [{ $t: "earlier", v: 1 }, { $t: "earlier", v: [2, 1] }, sorted(user)], model: "m", tools }], 1],
  ]);
});

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

test("a request refers to the response and the argument of an earlier call, at any depth", () => {
  const found = { body: "The order is late, and the customer knows. ".repeat(4), at: "desk" };
  const query = { words: "order late customer ".repeat(8) };
  const said = (content: unknown): AdapterCall => ({
    ...requestOf([message("system", SYSTEM), message("user", "Where is it?")]),
    request: [{ model: "m", tools: TOOLS, messages: [message("system", SYSTEM), { role: "tool", content }] }],
  });
  const tool: AdapterCall = {
    adapter: "tools.find",
    occurrence: 0,
    returns: "promise",
    request: [query],
    response: found,
  };
  const parts = [{ input: query }, { output: { type: "json", value: found } }];
  const calls = [said("?"), tool, said(parts), tool, said([...parts, found.body])];
  const baseline = baselineOf(calls.flatMap((call) => [call, call, call]));
  const text = serializeBaseline(baseline);
  expect(text.match(/"response": \d+ \}/g)).toHaveLength(2);
  expect(text.match(/"request": \d+ \}/g)).toHaveLength(2);
  expect(read(text)).toStrictEqual(read(JSON.stringify(baseline)));
  const unknown = text.replace(/"response": \d+ \}/, '"response": 99 }');
  expect(parseBaseline(unknown, "agent.json")).toMatchObject({
    ok: false,
    error: expect.stringContaining("a request reuses the response of an earlier call, which isn't in the file"),
  });
});

test("what fits on a line of a file with references is on one, and the file reads back", () => {
  const text = serializeBaseline(baselineOf(agentCalls(24)));
  expect(text).toContain('\n      "response": { "role": "assistant", "content": "Done." },\n');
  expect(text).toContain('\n      "request": [{ "path": "src/0.ts" }],\n');
  expect(
    Math.max(
      ...text
        .split("\n")
        .filter((line) => /\[\{|\{ "/.test(line))
        .map(({ length }) => length),
    ),
  ).toBeLessThanOrEqual(120);
  expect(isLaidOut(text)).toBe(true);
  const small = baselineOf(agentCalls(1));
  expect(serializeBaseline(small)).toContain(
    '"request": [\n        {\n          "path": "src/0.ts"\n        }\n      ]',
  );
});

test("doesn't change a file whose requests repeat little", () => {
  const calls = ["Hello", "Hello again"].map((text) => requestOf([message("user", text)]));
  const text = serializeBaseline(baselineOf(calls));
  expect([text.includes("earlier"), text.includes("callsHash")]).toStrictEqual([false, false]);
  expect(text.match(/"kind": "adapter-call"/g)).toHaveLength(2);
});

test("detects an edited request, response or reference by the hash of the calls", () => {
  const text = writtenBaseline(baselineOf(agentCalls(12)));
  const edits = [
    text.replace("careful engineer", "careless engineer"),
    text.replace('"content": "Done."', '"content": "Gone."'),
    text.replace('"v": 22', '"v": 21'),
    text.replace(/"callsHash": "sha256:.{8}/, '"callsHash": "sha256:00000000'),
  ];
  for (const edited of edits) {
    expect(edited).not.toBe(text);
    expect(verifySerialized(edited)).toMatch(/^hash mismatch of adapter-call: expected sha256:/);
  }
});

test("can't read a file that refers to a part of no earlier request", () => {
  const text = writtenBaseline(baselineOf(agentCalls(12)));
  const problems = [
    text.replace('"v": 4', '"v": 40'),
    text.replace('"v": 4', '"v": [3, 9]'),
    text.replace('"v": 4', '"v": -1'),
    text.replace('"v": 4', '"v": "all"'),
    text.replace(/"tools": \[[^\]]*\]/, '"tools": { "$t": "earlier" }'),
  ].map((edited) => parseBaseline(edited, "agent.json"));
  const elements = "a request reuses list items of an earlier request that aren't in it";
  const part = "a request reuses part of an earlier request, which isn't in the file";
  expect(problems.map((problem) => (problem.ok ? "" : problem.error))).toStrictEqual(
    [elements, elements, elements, elements, part].map(
      (fault) =>
        `Cannot read agent.json: "calls": ${fault}. Restore the file with npx veritest repair --restore, or delete it and capture the case again.`,
    ),
  );
});

test("limits memory for requests that refer to each other", () => {
  const long = "x".repeat(1000);
  const fields = (count: number): Record<string, unknown> => {
    const list = Array.from({ length: 200 }, () => long);
    const call = { adapter: "a", occurrence: 0, returns: "promise", request: [{ $t: "earlier" }], response: 0 };
    return {
      calls: [{ ...call, request: [list] }, ...Array.from({ length: count }, () => call)],
      callsHash: "",
      artifacts: [],
    };
  };
  expect(() => withoutReferences(fields(20_000))).toThrow(/requests are longer than 268435456 characters in full/);
  const doubled = {
    adapter: "a",
    request: [{ first: { $t: "earlier", request: 1 }, both: { $t: "earlier", request: 1 } }],
  };
  const [first = {}, ...more] = Array.from({ length: 64 }, () => doubled);
  const calls = [{ ...first, request: [long] }, ...more];
  expect(() => withoutReferences({ calls, callsHash: "", artifacts: [] })).toThrow(/in full/);
});

const content = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom("a", "b", SYSTEM, `${SYSTEM}!`, '{"$t":"earlier"}'),
  fc.integer({ min: 0, max: 9 }).map((digit) => `${digit}`.repeat(150)),
);
const element = fc.oneof(
  content.map((text) => message("user", text)),
  content,
  fc.integer(),
  fc.constant(null),
  fc.array(content, { maxLength: 2 }),
);
/** A conversation in which each request adds to the one before it, and sometimes loses or changes elements. */
const conversation = fc
  .array(fc.record({ added: fc.array(element, { maxLength: 3 }), lost: fc.nat(), loses: fc.boolean(), key: content }), {
    minLength: 2,
    maxLength: 8,
  })
  .map((turns) => {
    const list: unknown[] = [];
    return turns.map(({ added, lost, loses, key }): unknown[] => {
      if (loses && list.length > 0) list.splice(lost % list.length, 1 + (lost % 2));
      list.push(...added);
      return [{ messages: [...list], system: key, nested: { [key]: [...list], __proto__: 1 } }, key, [...list]];
    });
  });

test("mixed random conversations read back unchanged, and are shorter", () => {
  fc.assert(
    fc.property(fc.array(conversation, { minLength: 1, maxLength: 3 }), fc.array(fc.nat()), (threads, order) => {
      const left = threads.map((requests) => [...requests]);
      const requests: unknown[] = [];
      while (left.some((each) => each.length > 0)) {
        const open = left.filter((each) => each.length > 0);
        requests.push(open[(order[requests.length] ?? 0) % open.length]?.shift());
      }
      const calls = requests.map((request, index): AdapterCall => {
        const adapter = index % 7 === 6 ? "other" : "llm";
        const response = index % 3 === 0 ? index : { z: index % 2, body: index % 5 === 0 ? SYSTEM : request };
        return { adapter, occurrence: index, returns: "promise", request, response };
      });
      const baseline = baselineOf(calls);
      const text = writtenBaseline(baseline);
      expect(text.length).toBeLessThanOrEqual(JSON.stringify(baseline, undefined, 2).length + 1);
      expect(read(text)).toStrictEqual(JSON.parse(JSON.stringify(baseline)));
      expect([verifySerialized(text), isLaidOut(text), writtenBaseline(baseline)]).toStrictEqual([
        undefined,
        true,
        text,
      ]);
    }),
    { numRuns: runCount(25) },
  );
});

test("uses references only in calls, and keeps other fields", () => {
  const fields: unknown = JSON.parse(JSON.stringify(baselineOf(agentCalls(12))));
  if (!isPlainObject(fields)) throw new Error("an object");
  const shortened = withReferences(fields);
  expect(Object.keys(shortened)).toStrictEqual(
    Object.keys(fields).flatMap((name) => (name === "calls" ? ["calls", "callsHash"] : [name])),
  );
  expect(isArray(shortened["artifacts"]) && shortened["artifacts"]).toHaveLength(1);
  expect(withoutReferences(shortened)).toStrictEqual(fields);
  expect(withoutReferences(fields)).toBe(fields);
});
