import { isDeepStrictEqual } from "node:util";
import type { Behaviour, Scene, ToolCall } from "./behaviour.ts";
import type { Draw } from "./draw.ts";
import type { Extraction } from "./extraction.ts";

/** What a class of changes is given: a step as it was, for one document. */
export interface Given {
  readonly was: Behaviour;
  readonly found: Extraction;
  readonly draw: Draw;
}

/** Makes the scenes of a class for a document; none where it has nothing to change so. */
export type SceneMaker = (given: Given) => readonly Scene[];

const RECORDED = { matcher: "step", mode: "replay" } as const;
const LIVE = { matcher: "step", mode: "live" } as const;
const STRICT = { strictRequests: true };

/** Every way in which what a step does, asks or breaks comes out otherwise. */
export const STEP_CHANGES: Readonly<Record<string, SceneMaker>> = {
  ...ofList("events", {
    "payload value": ([first, ...rest]) => [withPart(first, "payload", { total: -1 }), ...rest],
    "payload field added": ([first, ...rest]) => [withPart(first, "payload", { extra: true }), ...rest],
    type: ([first, ...rest]) => [{ ...first, type: "noticed" }, ...rest],
    extra: (events) => [...events, { type: "extra" }],
    missing: (events) => events.slice(1),
    "another order": (events) => events.toReversed(),
    twice: ([first, ...rest]) => [{ ...first }, { ...first }, ...rest],
  }),
  ...ofList("commands", {
    "payload value": ([first, ...rest]) => [withPart(first, "payload", { total: -1 }), ...rest],
    topic: ([first, ...rest]) => [{ ...first, topic: "receipt.seen" }, ...rest],
    kind: ([, ...rest]) => [{ type: "review", reason: "low confidence" }, ...rest],
    extra: (commands) => [...commands, { type: "emit", topic: "extra", payload: {} }],
    missing: (commands) => commands.slice(1),
    "step asked for": (commands) => [...commands.slice(0, 2), { type: "invoke", step: "other", input: {} }],
    twice: ([first, ...rest]) => [{ ...first }, { ...first }, ...rest],
  }),
  ...ofCalls({
    "read extra": (calls) => [...calls, { tool: "find", request: { company: "another" } }],
    "read missing": (calls) => calls.slice(1),
    "read with another argument": ([first, ...rest]) => [withRequest(first, { company: "another" }), ...rest],
    "read of another adapter": ([first, ...rest]) => [{ request: first?.request ?? {}, tool: "price" }, ...rest],
    "write extra": (calls) => [...calls, { tool: "post", request: { id: "another" } }],
    "write missing": (calls) => calls.slice(0, -1),
    "write twice": (calls) => [...calls, ...calls.slice(-1)],
    "write with another argument": (calls) => [...calls.slice(0, -1), withRequest(calls.at(-1), { to: "audit" })],
    "write of another adapter": (calls) => [
      ...calls.slice(0, -1),
      { request: calls.at(-1)?.request ?? {}, tool: "post" },
    ],
    "writes in another order": ([find, price, post, notify]) =>
      [find, price, notify, post].filter((call) => call !== undefined),
  }),
  ...ofQuestions({
    "prompt, one word": ([first, ...rest]) => [asking(first, (prompt) => prompt.replace("list", "name")), ...rest],
    "prompt, white space": ([first, ...rest]) => [asking(first, (prompt) => `${prompt} `), ...rest],
    "prompt, cut": ([first, ...rest]) => [asking(first, (prompt) => prompt.slice(0, -5)), ...rest],
    "system message": ([first, ...rest]) => [{ ...first, system: "Answer in English." }, ...rest],
    temperature: ([first, ...rest]) => [{ ...first, temperature: 0.7 }, ...rest],
    tools: ([first, ...rest]) => [{ ...first, tools: ["lookup", "search"] }, ...rest],
    "one more question": (questions) => [...questions, { model: "reader-1", prompt: "Are you sure of that answer?" }],
  }),
  "model's name": ({ was }) => {
    const questions = was.questions.map((question) => ({ ...question, model: "reader-2" }));
    return [
      { ...RECORDED, after: { questions }, cause: "model" },
      { ...LIVE, options: STRICT, after: { questions }, cause: "model" },
    ];
  },
  "tools: another answer": () => [{ ...LIVE, after: { tool: { known: false } }, cause: "response" }],
  "code and model": ({ found }) => [
    { ...LIVE, after: { edit: { company: "edited" }, answer: { ...found, total: -1 } }, cause: "mixed" },
  ],
  "code and prompt": ({ was }) => [
    {
      ...RECORDED,
      after: { edit: { company: "edited" }, questions: was.questions.map((one) => ({ ...one, prompt: "Read." })) },
      cause: "mixed",
    },
  ],
};

function named<T>(
  group: string,
  changes: Readonly<Record<string, T>>,
  maker: (change: T) => SceneMaker,
): Readonly<Record<string, SceneMaker>> {
  return Object.fromEntries(Object.entries(changes).map(([name, change]) => [`${group}: ${name}`, maker(change)]));
}

function ofList(
  part: "events" | "commands",
  changes: Readonly<Record<string, (list: readonly object[]) => readonly object[]>>,
): Readonly<Record<string, SceneMaker>> {
  return named(part, changes, (change) => ({ was }) => {
    const after = { [part]: change(was[part]) };
    return [
      { ...RECORDED, after, cause: "code" },
      { ...LIVE, after, cause: "code" },
      { matcher: "replay", mode: "replay", after },
      { matcher: "result", mode: "live", after },
    ];
  });
}

function ofCalls(
  changes: Readonly<Record<string, (calls: readonly ToolCall[]) => readonly ToolCall[]>>,
): Readonly<Record<string, SceneMaker>> {
  return named("calls", changes, (change) => ({ was }) => {
    const after = { calls: change(was.calls) };
    return [
      { ...RECORDED, after, cause: "code" },
      { ...LIVE, after, cause: "code" },
    ];
  });
}

type Questions = Behaviour["questions"];

/** Live, the result is the same: a check must ask for the same requests, or it says so and passes. */
function ofQuestions(
  changes: Readonly<Record<string, (questions: Questions) => Questions>>,
): Readonly<Record<string, SceneMaker>> {
  return named("questions", changes, (change) => ({ was, found }) => {
    const questions = change(was.questions);
    const after = { questions, answer: { ...found, total: -1 } };
    return [
      { ...RECORDED, after: { questions }, cause: "prompt" },
      { ...LIVE, options: STRICT, after: { questions }, cause: "prompt" },
      // Where the first question is as it was, its answer is the model's own doing.
      { ...LIVE, after, cause: isDeepStrictEqual(questions[0], was.questions[0]) ? "mixed" : "prompt" },
    ];
  });
}

function withPart(one: object | undefined, part: string, fields: object): object {
  const was: unknown = Object.entries(one ?? {}).find(([name]) => name === part)?.[1];
  return { ...one, [part]: { ...(typeof was === "object" ? was : {}), ...fields } };
}

function withRequest(call: ToolCall | undefined, fields: object): ToolCall {
  return { tool: call?.tool ?? "find", request: { ...call?.request, ...fields } };
}

function asking(question: Questions[number] | undefined, change: (prompt: string) => string): Questions[number] {
  return { ...question, prompt: change(String(question?.["prompt"])) };
}
