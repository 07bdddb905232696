import { isAsyncIterable } from "../encode/builtins.ts";
import { readBound } from "../proxy/mirror.ts";
import { registerModelRecorder } from "./model-recorder.ts";
import { type ModelCall, type ModelHandler, currentInterceptors } from "./recording-scope.ts";
import { recordsIn } from "../../kernel/json/read-data.ts";

/** A model of OpenAI Agents, with as much of its types as is used here. */
interface AgentModel {
  getResponse(request: object): Promise<object>;
  getStreamedResponse(request: object): AsyncIterable<unknown>;
}

/** A provider of models of OpenAI Agents, with as much of its types as is used here. */
interface AgentModelProvider {
  getModel(name?: string): unknown;
}

/**
 * Records and replays a model of OpenAI Agents that a step calls without adapters. The calls are recorded as
 * `model.generate` and `model.stream`. Outside of recorded runs, the model is called as usual. `name` identifies the
 * model in recordings. Throws a TypeError if the value is not a model.
 *
 * @example
 * const model = recordAgentModel(new OpenAIResponsesModel(client, "gpt-5"), "gpt-5");
 * const agent = new Agent({ name: "desk", model, tools });
 */
export function recordAgentModel<M extends object>(model: M, name = "model"): M {
  if (!isAgentModel(model))
    throw new TypeError("recordAgentModel needs an OpenAI Agents model, with getResponse and getStreamedResponse.");
  registerModelRecorder();
  const own: AgentModel = {
    getResponse: async (request) => {
      const handler = currentInterceptors().model;
      if (handler === undefined) return model.getResponse(request);
      const response = await handler.generate(callOf(handler, request, name), async () => model.getResponse(request));
      if (typeof response === "object" && response !== null) return response;
      throw new TypeError("the recorded response of the model isn't an object");
    },
    getStreamedResponse: (request) => streamed(model, { request, name }),
  };
  return withMembers(model, { ...own });
}

/**
 * Wraps a provider so that veritest records every model that it returns. Pass the wrapped provider to
 * `new Runner({ modelProvider })`. If you don't want to change your code, pass it to `setDefaultModelProvider` in a
 * setup file. Throws a TypeError if the value is not a provider.
 *
 * @example
 * setDefaultModelProvider(recordModelProvider(new OpenAIProvider()));
 */
export function recordModelProvider<P extends object>(provider: P): P {
  if (!isProvider(provider))
    throw new TypeError("recordModelProvider needs an OpenAI Agents model provider, with getModel.");
  registerModelRecorder();
  return withMembers(provider, {
    getModel: async (name?: string) => {
      const model = await provider.getModel(name);
      if (typeof model !== "object" || model === null) throw new TypeError("the provider didn't return a model");
      return recordAgentModel(model, name);
    },
  });
}

async function* streamed(
  model: AgentModel,
  { request, name }: { readonly request: object; readonly name: string },
): AsyncGenerator<unknown, void, void> {
  const handler = currentInterceptors().model;
  if (handler === undefined) {
    yield* model.getStreamedResponse(request);
    return;
  }
  const response = await handler.stream(callOf(handler, request, name), async () => ({
    stream: model.getStreamedResponse(request),
  }));
  const stream: unknown = Reflect.get(response, "stream");
  if (!isAsyncIterable(stream)) throw new TypeError("the recorded response of the model isn't a stream");
  yield* stream;
}

/** Fields that are not part of the question: tracing, and the signal to stop. */
const NOT_PART_OF_REQUEST: ReadonlySet<string> = new Set(["signal", "tracing", "toolsExplicitlyProvided"]);

/** Tools of a run, by name. */
interface ToolsOfRun {
  /** Handoffs: the SDK calls them tools and runs no code for them. */
  readonly handoffs: Set<string>;
  /** Calls in the step's input: their tools ran before it. */
  readonly inInput: ReadonlySet<unknown>;
  readonly unrecorded: Set<string>;
}

const runs = new WeakMap<ModelHandler, ToolsOfRun>();

function callOf(handler: ModelHandler, request: object, name: string): ModelCall {
  const fields = Object.entries(request).filter(([key]) => !NOT_PART_OF_REQUEST.has(key));
  const question: Readonly<Record<string, unknown>> = Object.fromEntries(fields);
  // The output of a tool is in the next question: a tool whose output wasn't recorded ran outside of the recorder.
  const results = recordsIn(question["input"]).filter(({ type }) => type === "function_call_result");
  const known = runs.get(handler) ?? {
    handoffs: new Set(),
    inInput: new Set(results.map(({ callId }) => callId)),
    unrecorded: new Set(),
  };
  runs.set(handler, known);
  for (const { toolName } of recordsIn(question["handoffs"])) known.handoffs.add(String(toolName));
  for (const { name: tool, callId } of results) {
    if (typeof tool !== "string" || known.inInput.has(callId) || known.handoffs.has(tool)) continue;
    if (known.unrecorded.has(tool) || handler.isRecorded(tool)) continue;
    known.unrecorded.add(tool);
    handler.unrecordedModel(tool, "ran");
  }
  return { params: request, model: { provider: "openai-agents", modelId: name } };
}

/** The same object with other members; private fields and getters stay its own. */
function withMembers<T extends object>(target: T, members: Readonly<Record<string, unknown>>): T {
  return new Proxy(target, {
    get: (of, key) => {
      if (typeof key === "string" && Object.hasOwn(members, key)) return members[key];
      return readBound(of, key);
    },
  });
}

function isAgentModel(value: object): value is AgentModel {
  return ["getResponse", "getStreamedResponse"].every((name) => typeof Reflect.get(value, name) === "function");
}

function isProvider(value: object): value is AgentModelProvider {
  return typeof Reflect.get(value, "getModel") === "function";
}
