import { isArray, isObject, isPlainObject } from "../../kernel/json/plain-data.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { joinPath } from "../adapter-call.ts";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { decode } from "../encode/decode.ts";
import { encode } from "../encode/encode.ts";
import type { CallLog } from "../proxy/call-log.ts";
import { registerAdapterProxy, withoutProxy } from "../proxy/mirror.ts";
import type { RecordingRules } from "../recording-rules.ts";
import { replayRequest } from "../replay/replay-call.ts";
import { signalIn } from "../replay/injected-end.ts";
import { recordingModel, replayingModel } from "./model-recorder.ts";
import { type ModelCall, type ModelHandler, isInAdapter } from "./recording-scope.ts";
import type { ReplaySource } from "./recorders.ts";
import { markTool, toolFacts } from "./tool-mark.ts";
import { recordTool } from "./tool-recorder.ts";

// A model or a tool of the AI SDK among the adapters is recorded as one unit. Its internals (headers the SDK adds, a
// schema it walks through) are the SDK's concern: only the questions and the calls of `execute` are recorded.

type Fields = Readonly<Record<string, unknown>>;
type ModelMethod = "doGenerate" | "doStream";

/** Returns true if the AI SDK calls a model by this member. */
export function isModelMethod(key: string): key is ModelMethod {
  return key === "doGenerate" || key === "doStream";
}

/** Returns true if an adapter is a language model of the AI SDK, of any version of its specification. */
export function isSdkModel(value: object): boolean {
  const has = (key: string, type: string): boolean => typeof Reflect.get(value, key) === type;
  return has("specificationVersion", "string") && has("doGenerate", "function") && has("doStream", "function");
}

/** An adapter that is passed to the AI SDK: its path, and how its data are read. */
interface ModelLocation {
  readonly path: string;
  readonly read: (key: "provider" | "modelId") => unknown;
}

/** A method of a model that calls the model and records the question. */
export function recordedMethod(
  key: ModelMethod,
  { path, read, log, model }: ModelLocation & { readonly log: CallLog; readonly model: object },
): (params: object) => unknown {
  const method: unknown = Reflect.get(model, key);
  const callModel = (params: object): unknown =>
    typeof method === "function" ? Reflect.apply(method, model, [withoutProxy(params)]) : undefined;
  // If a recorder of the SDK makes this call, that recorder records the question.
  return (params) =>
    isInAdapter()
      ? callModel(params)
      : withHandler(key, recordingModel(log, pathsOf(path)), { params, read, callModel: () => callModel(params) });
}

/** The method of a recorded model that replays; undefined if the recording has no such question. */
export function replayedMethod(
  key: ModelMethod,
  { path, read, source }: ModelLocation & { readonly source: ReplaySource },
): ((params: object) => unknown) | undefined {
  const [call] = source.index.callsOf(joinPath(path, key));
  const [question] = isArray(call?.request) ? call.request : [];
  // Older recordings, made before models were recorded as one unit, have the SDK's own arguments.
  if (!isPlainObject(question) || !isPlainObject(question["params"])) return undefined;
  return (params) => withHandler(key, replayingModel(source, pathsOf(path)), { params, read, callModel: () => ({}) });
}

function pathsOf(path: string): Parameters<typeof recordingModel>[1] {
  return { generate: joinPath(path, "doGenerate"), stream: joinPath(path, "doStream") };
}

interface ModelQuestion extends Pick<ModelLocation, "read"> {
  readonly params: object;
  readonly callModel: () => unknown;
}

async function withHandler(
  key: ModelMethod,
  handler: ModelHandler,
  { params, read, callModel }: ModelQuestion,
): Promise<unknown> {
  const call: ModelCall = { params, model: { provider: String(read("provider")), modelId: String(read("modelId")) } };
  if (key === "doGenerate") return handler.generate(call, async () => callModel());
  return handler.stream(call, async () => {
    const response = await callModel();
    if (typeof response === "object" && response !== null) return response;
    throw new TypeError("the model's response isn't an object");
  });
}

/** A tool of the AI SDK with a body. */
interface SdkTool {
  readonly inputSchema: unknown;
  readonly execute: (...args: readonly unknown[]) => unknown;
}

/** Returns true if an adapter is a tool of the AI SDK with its own body. */
export function isSdkTool(value: object): value is SdkTool {
  return isPlainObject(value) && "inputSchema" in value && typeof value["execute"] === "function";
}

interface ToolLocation {
  readonly path: string;
  readonly log: CallLog;
  readonly rules: RecordingRules;
}

/** The request under which a tool's description is recorded. */
const TOOL = ["tool"];

/** A tool that runs and is recorded: its data, its schema as JSON, what that made of an input, and its calls. */
export function recordedTool(tool: SdkTool, location: ToolLocation): object {
  const { path, log } = location;
  const { execute, inputSchema, outputSchema: _unused, ...rest }: Fields & SdkTool = { ...tool };
  const code = Object.keys(rest).filter((name) => typeof rest[name] === "function");
  if (code.length > 0)
    log.refuse(
      path,
      `has functions that veritest can't record: ${code.join(", ")}. Wrap the tools where you create them: ` +
        "recordTools(tools)",
    );
  const data = Object.fromEntries(Object.entries(rest).filter(([name]) => !code.includes(name)));
  log.read({ adapter: path, request: TOOL, outcome: { value: data } });
  const facts = toolFacts(execute) ?? { name: path, role: "write", isUndeclared: true };
  const run = (...args: readonly unknown[]): unknown => {
    if (isInAdapter()) return Reflect.apply(execute, tool, args);
    const input = args.slice(0, 1);
    const body = (): unknown => Reflect.apply(execute, tool, args.map(withoutProxy));
    return recordTool(log, { adapter: path, args: input, facts }, body);
  };
  const stub = {
    ...rest,
    inputSchema: recordedSchema(inputSchema, location),
    execute: markTool(run, facts),
  };
  registerAdapterProxy(stub, tool);
  return stub;
}

/** A recorded tool; undefined if no tool was recorded at the path. */
export function replayedTool(path: string, source: ReplaySource): object | undefined {
  const recorded = source.index.read(path, TOOL);
  if (recorded === undefined) return undefined;
  const data = decode(recorded.response);
  const run = (...args: readonly unknown[]): unknown =>
    replayRequest(path, args.slice(0, 1), { ...source, signal: signalIn(args) });
  const stub = {
    ...(isPlainObject(data) ? data : {}),
    inputSchema: replayedSchema(path, source),
    execute: markTool(run, { name: path, role: "read" }),
  };
  registerAdapterProxy(stub, stub);
  return stub;
}

/** Marks what the AI SDK, from its version 5 on, takes for a schema that needs no converting. */
const SCHEMA = Symbol.for("vercel.ai.schema");

/** Marks what its version 5 also takes for a validator. */
const VALIDATOR = Symbol.for("vercel.ai.validator");

type Validated =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: unknown };

interface Schema {
  readonly jsonSchema: unknown;
  readonly validate: (value: unknown) => Promise<Validated>;
}

function sdkSchema(schema: Schema): object {
  return { ...schema, [SCHEMA]: true, [VALIDATOR]: true };
}

function recordedSchema(original: unknown, { path, log, rules }: ToolLocation): unknown {
  const adapter = joinPath(path, "inputSchema");
  let schema: Schema;
  try {
    schema = schemaOf(original);
  } catch (error) {
    log.refuse(adapter, `${messageOf(error)}. Wrap such tools with recordTools(tools) where you create them`);
    return original;
  }
  log.readProperty(adapter, schema.jsonSchema);
  const validate = async (value: unknown): Promise<Validated> => {
    const result = await schema.validate(value);
    const request = textOf(rules, adapter, value);
    // Requests that the SDK makes unchanged need no record.
    if (!result.success || textOf(rules, adapter, result.value) !== request)
      log.read({ adapter, request: ["validate", request], outcome: { value: reportedResult(result) } });
    return result;
  };
  return sdkSchema({ jsonSchema: schema.jsonSchema, validate });
}

/** The text of the error that the SDK reports to the model if an input doesn't match the tool's schema. */
function reportedResult(result: Validated): Validated {
  if (result.success) return result;
  const { error } = result;
  return { success: false, error: error instanceof Error ? error.toString() : error };
}

function replayedSchema(path: string, { index, rules }: ReplaySource): object {
  const adapter = joinPath(path, "inputSchema");
  return sdkSchema({
    jsonSchema: decode(index.read(adapter, [])?.response),
    validate: async (value) => {
      const read = index.read(adapter, ["validate", textOf(rules, adapter, value)]);
      const recorded = read === undefined ? undefined : decode(read.response);
      return isValidated(recorded) ? recorded : { success: true, value };
    },
  });
}

function textOf(rules: RecordingRules, adapter: string, value: unknown): string {
  return stableStringify(rules.request(adapter, encode([value], { opaque: "omit" })));
}

function isValidated(value: unknown): value is Validated {
  return isPlainObject(value) && typeof value["success"] === "boolean";
}

/** A tool's schema in the one form that every version of the SDK takes; throws for what has no JSON Schema. */
function schemaOf(schema: unknown): Schema {
  if (typeof schema === "function") return schemaOf(Reflect.apply(schema, undefined, []));
  if (typeof schema !== "object" || schema === null) throw new TypeError("isn't a schema");
  if (isSdkSchema(schema)) return { jsonSchema: schema.jsonSchema, validate: validatorOf(schema) };
  const standard: unknown = Reflect.get(schema, "~standard");
  const json: unknown = isObject(standard) ? Reflect.get(standard, "jsonSchema") : undefined;
  const input: unknown = isObject(json) ? Reflect.get(json, "input") : undefined;
  if (typeof input !== "function") throw new TypeError("has no JSON Schema");
  const jsonSchema = closed(Reflect.apply(input, json, [{ target: "draft-07" }]));
  return { jsonSchema, validate: validatorOf(schema) };
}

function isSdkSchema(value: object): value is { readonly jsonSchema: unknown } {
  return Reflect.get(value, SCHEMA) === true && "jsonSchema" in value;
}

function validatorOf(schema: object): Schema["validate"] {
  return async (value) => {
    const call = async (target: object, name: string): Promise<Fields | undefined> => {
      const method: unknown = Reflect.get(target, name);
      const result: unknown = typeof method === "function" ? await Reflect.apply(method, target, [value]) : undefined;
      return isObject(result) ? { ...result } : undefined;
    };
    const own = isSdkSchema(schema) ? await call(schema, "validate") : await call(schema, "safeParseAsync");
    if (own !== undefined)
      return own["success"] === true
        ? { success: true, value: "value" in own ? own["value"] : own["data"] }
        : { success: false, error: own["error"] };
    const standard: unknown = Reflect.get(schema, "~standard");
    const result = isObject(standard) ? await call(standard, "validate") : undefined;
    if (result === undefined) return { success: true, value };
    const { issues } = result;
    return issues === undefined
      ? { success: true, value: result["value"] }
      : { success: false, error: new Error(JSON.stringify(issues)) };
  };
}

/** A JSON Schema whose objects take no other fields, as the SDK closes those it makes of a library's schemas. */
function closed(schema: unknown): unknown {
  if (isArray(schema)) return schema.map(closed);
  if (!isPlainObject(schema)) return schema;
  const { type, additionalProperties } = schema;
  const isObjectSchema = type === "object" || (isArray(type) && type.includes("object"));
  const parts = Object.entries(schema).map(([name, part]) => {
    if (["items", "anyOf", "allOf", "oneOf"].includes(name)) return [name, closed(part)];
    if ((name === "properties" || name === "definitions") && isPlainObject(part))
      return [name, Object.fromEntries(Object.entries(part).map(([key, subschema]) => [key, closed(subschema)]))];
    return [name, part];
  });
  const rest = isPlainObject(additionalProperties) ? closed(additionalProperties) : false;
  return Object.fromEntries(isObjectSchema ? [...parts, ["additionalProperties", rest]] : parts);
}
