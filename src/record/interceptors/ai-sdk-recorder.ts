import { installOnce } from "../../kernel/install-once.ts";
import { isObject, isPlainObject } from "../../kernel/json/plain-data.ts";
import { recordModel, typedAs } from "./model-recorder.ts";
import { type ModelHandler, currentInterceptors, skipsWrites } from "./recording-scope.ts";
import { registerWithSdk } from "./recorders.ts";
import { toolFacts } from "./tool-mark.ts";

const KEY = Symbol.for("veritest.ai-sdk");

/** An event of the AI SDK 7. Its other fields are the prompt and the settings of the call. */
interface SdkEvent {
  readonly callId: string;
}

interface Running<T> extends SdkEvent {
  readonly execute: () => PromiseLike<T>;
}

type Fields = Readonly<Record<string, unknown>>;

/** A telemetry integration of the AI SDK 7. The type only has the members that veritest uses. */
export interface AiSdkIntegration {
  readonly onStart: (event: SdkEvent) => void;
  readonly onEnd: (event: SdkEvent) => void;
  readonly executeLanguageModelCall: <T>(call: Running<T>) => Promise<T>;
  readonly executeTool: <T>(call: Running<T>) => Promise<T>;
}

/** Facts that only the beginning of a call has. */
interface Started {
  readonly isStream: boolean;
  readonly toolChoice: unknown;
  readonly providerOptions: unknown;
  readonly output: unknown;
  /** The names of the tools whose calls are not recorded. */
  readonly unrecorded: ReadonlySet<string>;
}

/** Calls that ended without saying so are forgotten when so many have begun after them. */
const MOST_STARTED = 1000;

/**
 * Fields that are not part of the question: the caller, how the call is observed, and what happens if no response
 * comes.
 */
const NOT_PART_OF_REQUEST: ReadonlySet<string> = new Set([
  "callId",
  "execute",
  "provider",
  "modelId",
  "aiVersion",
  "functionId",
  "recordInputs",
  "recordOutputs",
  "runtimeContext",
  "toolsContext",
  "timeout",
  "maxRetries",
]);

/**
 * Records and replays every `generateText` and `streamText` call of the AI SDK 7, without a change in the tested code.
 * The calls are recorded as `model.generate` and `model.stream`. Outside of recorded runs, the models are called as
 * usual. The returned function removes the recorder, once it has been called as often as `recordAiSdk`.
 *
 * The recorder uses the SDK's telemetry. It doesn't see a call whose `telemetry` has `isEnabled: false` or its own
 * `integrations`. For such a call, add {@link aiSdkIntegration}, or wrap the model with `recordModel()`. A call with
 * `recordInputs: false` rejects with an error, because its request is hidden.
 */
export function recordAiSdk(): () => void {
  return installOnce(KEY, () => registerWithSdk(aiSdkIntegration()));
}

/**
 * Telemetry integration of {@link recordAiSdk}. Add it to calls that set their own `integrations`.
 *
 * @example
 * await generateText({ model, prompt, telemetry: { integrations: [mine, aiSdkIntegration()] } });
 */
export function aiSdkIntegration(): AiSdkIntegration {
  // Its recorder responds, so the middleware isn't needed.
  recordModel();
  const started = new Map<string, Started>();
  return {
    onStart: (event) => {
      started.set(event.callId, startOf({ ...event }));
      const [oldest] = started.keys();
      if (started.size > MOST_STARTED && oldest !== undefined) started.delete(oldest);
    },
    onEnd: ({ callId }) => void started.delete(callId),
    executeLanguageModelCall: async (call) => {
      const handler = currentInterceptors().model;
      if (handler === undefined) return call.execute();
      return typedAs(await respond(handler, call, started.get(call.callId)), call.execute);
    },
    executeTool: async (call) => {
      const name = toolName({ ...call });
      if (started.get(call.callId)?.unrecorded.has(name) === true) refuseUnrecorded(name);
      return call.execute();
    },
  };
}

/** Throws for a tool that may read or write: it must not run if writes are skipped. */
function refuseUnrecorded(name: string): void {
  currentInterceptors().model?.unrecordedModel(name, "was about to run");
  if (skipsWrites()) throw new Error(`tool "${name}" isn't recorded. Wrap the tools with recordTools(tools)`);
}

async function respond(handler: ModelHandler, call: Running<unknown>, started: Started | undefined): Promise<unknown> {
  const fields: Fields = { ...call };
  if (fields["recordInputs"] === false)
    throw new Error(
      "veritest/ai-sdk can't read the requests to the model: the call's telemetry has recordInputs: false. " +
        "Remove that setting in tests, or wrap the model with recordModel() of veritest/ai-sdk.",
    );
  const { provider, modelId } = fields;
  const request = {
    params: { ...settingsOf(fields), ...(await choicesOf(started)) },
    model: { provider: String(provider), modelId: String(modelId) },
  };
  if (started?.isStream !== true) return handler.generate(request, call.execute);
  return handler.stream(request, async () => objectOf(await call.execute()));
}

function settingsOf(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => !NOT_PART_OF_REQUEST.has(name) && value !== undefined),
  );
}

/** Settings that also decide the response, and that only the beginning of the call has. */
async function choicesOf(started: Started | undefined): Promise<Fields> {
  if (started === undefined) return {};
  const { toolChoice, providerOptions, output } = started;
  const wanted: unknown = isObject(output) ? Reflect.get(output, "responseFormat") : undefined;
  const responseFormat: unknown = await wanted;
  return Object.fromEntries(
    Object.entries({ toolChoice, providerOptions, responseFormat }).filter(([, value]) => value !== undefined),
  );
}

function startOf(event: Fields): Started {
  const { operationId, toolChoice, providerOptions, output, tools } = event;
  const unrecorded = isPlainObject(tools) ? Object.entries(tools).filter(([, tool]) => isUnrecordedTool(tool)) : [];
  return {
    isStream: operationId === "ai.streamText",
    toolChoice,
    providerOptions,
    output,
    unrecorded: new Set(unrecorded.map(([name]) => name)),
  };
}

/** Returns true if a tool has its own body that no recorder records. */
function isUnrecordedTool(tool: unknown): boolean {
  const execute: unknown = isObject(tool) ? Reflect.get(tool, "execute") : undefined;
  return typeof execute === "function" && toolFacts(execute) === undefined;
}

function toolName({ toolCall }: Fields): string {
  const name: unknown = isObject(toolCall) ? Reflect.get(toolCall, "toolName") : undefined;
  return typeof name === "string" ? name : "";
}

function objectOf(response: unknown): object {
  if (isObject(response)) return response;
  throw new TypeError("the model's response isn't an object");
}
