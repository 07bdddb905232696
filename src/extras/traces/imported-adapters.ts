import { isArray, isObject, isPlainObject } from "../../kernel/json/plain-data.ts";
import { joinPath } from "../../record/adapter-call.ts";
import { isNamespace, isUnrecordedKey } from "../../record/encode/members.ts";
import { mirrorTraps } from "../../record/proxy/mirror.ts";
import { isSdkTool } from "../../record/interceptors/ai-sdk-adapters.ts";
import type { TapeHandlers } from "../../record/interceptors/recording-scope.ts";
import { markTool, toolFacts } from "../../record/interceptors/tool-mark.ts";
import type { BaseAdapters } from "../../kernel/step/context.ts";
import {
  type AnswerDialect,
  agentsResult,
  aiSdkResult,
  aiSdkStream,
  knownShape,
  shapedAnswer,
} from "./answer-shapes.ts";
import type { ImportedAnswers } from "./imported-answers.ts";
import type { SeenModel } from "./observation.ts";

/** What answers a step from a trace, wherever it asks. */
export interface ImportedWorld {
  /** Stands for today's adapters, or for any where there are none. */
  readonly adapters: BaseAdapters;
  /** Answers what is asked past the adapters. */
  readonly handlers: TapeHandlers;
  /** Whether something was asked of which nobody can tell how it answers. */
  readonly guessed: () => boolean;
}

/**
 * Makes what answers one run of a step from a trace: nothing of today's adapters is called, but that what they hold as
 * data is read. A method of unknown kind answers in `dialect`.
 */
export function importedWorld(
  answers: ImportedAnswers,
  { today, dialect }: { readonly today: BaseAdapters | undefined; readonly dialect: AnswerDialect },
): ImportedWorld {
  let guessed = false;
  const respond: Respond = (path, args) => {
    const kind = answers.kindOf(path);
    if (kind?.kind === "adapter") return givenOf(answers.adapter(path, args));
    if (kind?.kind === "tool") return givenOf(answers.tool(kind.name, args[0]));
    const model = answeredOf(answers.model(path, args));
    if (knownShape(path) === undefined) guessed = true;
    const whole = shapedAnswer(path, model, dialect);
    return isStreamed(args) && /completions/.test(path) ? streamedCompletion(whole) : whole;
  };
  return {
    adapters: today === undefined ? anyPlace("", respond) : mirrored("", today, respond),
    handlers: handlersOf(answers, respond),
    guessed: () => guessed,
  };
}

type Respond = (path: string, args: readonly unknown[]) => unknown;

function givenOf(call: {
  readonly error: string | undefined;
  readonly result?: { readonly value: unknown };
  readonly response?: { readonly value: unknown };
}): unknown {
  if (call.error !== undefined) throw new Error(call.error);
  return (call.result ?? call.response)?.value;
}

function answeredOf(model: SeenModel): SeenModel & { readonly answer: NonNullable<SeenModel["answer"]> } {
  const { answer, error } = model;
  if (error !== undefined || answer === undefined)
    throw new Error(error ?? "The trace does not say what the model answered.");
  return { ...model, answer };
}

/** Today's adapters with all calls answered from the trace. */
function mirrored(path: string, original: object, respond: Respond): object {
  const read = (key: string | symbol): unknown => {
    const value: unknown = Reflect.get(original, key, original);
    if (typeof key === "symbol" || isUnrecordedKey(original, key) || !isNamespace(value)) return value;
    const place = joinPath(path, key);
    if (isSdkTool(value)) return toolOf(value, place, respond);
    return mirrored(place, value, respond);
  };
  const traps = mirrorTraps(original, read);
  if (typeof original !== "function") return new Proxy<object>({}, traps);
  const facts = toolFacts(original);
  const answering = async (...args: readonly unknown[]): Promise<unknown> => respond(path, args);
  const target = facts === undefined ? answering : markTool(answering, facts);
  return new Proxy<object>(target, {
    get(own, key): unknown {
      return typeof key === "string" && !isUnrecordedKey(original, key) ? read(key) : Reflect.get(own, key);
    },
  });
}

/** A tool of the AI SDK that is answered in its place. */
function toolOf(tool: { readonly execute: object }, path: string, respond: Respond): object {
  const execute = async (input: unknown): Promise<unknown> => respond(path, [input]);
  const facts = toolFacts(tool.execute);
  return { ...tool, execute: facts === undefined ? execute : markTool(execute, facts) };
}

/** What a model of the AI SDK says of itself, where a step was given none. */
const MODEL_FACTS: Readonly<Record<string, unknown>> = {
  specificationVersion: "v4",
  provider: "imported",
  modelId: "imported",
  supportedUrls: {},
};

/** Adapters of which nothing is known: every member may be called, and has members. */
function anyPlace(path: string, respond: Respond): object {
  const members = new Map<string, object>();
  const answering = async (...args: readonly unknown[]): Promise<unknown> => respond(path, args);
  return new Proxy<object>(path === "" ? {} : answering, {
    get(own, key): unknown {
      if (typeof key === "symbol" || isUnrecordedKey(own, key)) return Reflect.get(own, key);
      if (Object.hasOwn(MODEL_FACTS, key)) return MODEL_FACTS[key];
      const member = members.get(key) ?? anyPlace(joinPath(path, key), respond);
      members.set(key, member);
      return member;
    },
    has: (_own, key) => typeof key === "string",
  });
}

function handlersOf(answers: ImportedAnswers, respond: Respond): TapeHandlers {
  const agents = "openai-agents";
  return {
    model: {
      generate: async ({ params, model }) => {
        const answered = answeredOf(answers.model("model.generate", params));
        return model.provider === agents ? agentsResult(answered) : aiSdkResult(answered);
      },
      stream: async ({ params, model }) => {
        if (model.provider === agents) throw answers.miss("asks a model of OpenAI Agents for a stream");
        return aiSdkStream(answeredOf(answers.model("model.stream", params)));
      },
      untaped: (tool) => void answers.miss(`runs tool "${tool}" past the recording: wrap the tools, tapeTools(tools)`),
      isTaped: () => true,
    },
    tools: async ({ facts, args }) => {
      const path = `tools.${facts.name}`;
      if (answers.kindOf(path) === undefined) throw answers.miss(`calls tool "${facts.name}"`);
      return respond(path, args);
    },
    facts: async (path) => {
      throw answers.miss(`asks a service of MCP what it offers (${path})`);
    },
    fetch: async (input, init) => fetched(new Request(input, init), answers, respond),
  };
}

/** The answer to a request that a client sends by `fetch`, where its URL says whose API it is. */
async function fetched(request: Request, answers: ImportedAnswers, respond: Respond): Promise<Response> {
  const { origin, pathname } = new URL(request.url);
  const body: unknown = await request.json().catch(() => undefined);
  if (knownShape(pathname) === undefined || !isPlainObject(body)) throw answers.miss(`fetches ${origin}${pathname}`);
  if (body["stream"] === true) throw answers.miss(`streams ${origin}${pathname} by fetch`);
  return Response.json(respond(pathname, [body]));
}

function isStreamed([first]: readonly unknown[]): boolean {
  return isPlainObject(first) && first["stream"] === true;
}

/** A completion in one piece, as OpenAI streams it. */
async function* streamedCompletion(completion: unknown): AsyncGenerator<unknown, void> {
  if (!isObject(completion)) return;
  const { choices, ...rest }: { readonly choices?: unknown } = { ...completion };
  const choice = isArray(choices) && isPlainObject(choices[0]) ? choices[0] : {};
  const { message, finish_reason: finish } = choice;
  const whole = isPlainObject(message) ? message : {};
  const calls = isArray(whole["tool_calls"]) ? whole["tool_calls"].filter(isPlainObject) : [];
  const delta = { ...whole, ...(calls.length > 0 && { tool_calls: calls.map((call, index) => ({ index, ...call })) }) };
  yield { ...rest, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: null }] };
  yield { ...rest, object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: finish }] };
}
