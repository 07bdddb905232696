import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { recordIn, recordsIn } from "../../kernel/json/read-data.ts";
import { GEN_AI, GEN_AI_OLD, GEN_AI_OPERATION } from "../../kernel/telemetry/attributes.ts";
import { unpacked } from "./json-items.ts";

type Attributes = ReadonlyMap<string, unknown>;
type Fields = Readonly<Record<string, unknown>>;

/** Attributes of OpenInference (Phoenix, Arize). */
const OPEN_INFERENCE = {
  kind: "openinference.span.kind",
  model: "llm.model_name",
  provider: ["llm.provider", "llm.system"],
  inputs: "llm.input_messages",
  outputs: "llm.output_messages",
  request: "input.value",
  response: "output.value",
  parameters: "llm.invocation_parameters",
  tools: "llm.tools",
  toolName: "tool.name",
  promptTokens: "llm.token_count.prompt",
  completionTokens: "llm.token_count.completion",
} as const;

/** Attributes of OpenLLMetry (Traceloop). */
const TRACELOOP = {
  kind: "traceloop.span.kind",
  name: "traceloop.entity.name",
  input: "traceloop.entity.input",
  output: "traceloop.entity.output",
  functions: "llm.request.functions",
} as const;

/** Attributes of Langfuse's SDKs that send spans. */
const LANGFUSE = {
  type: "langfuse.observation.type",
  input: "langfuse.observation.input",
  output: "langfuse.observation.output",
  model: "langfuse.observation.model.name",
  parameters: "langfuse.observation.model.parameters",
} as const;

/** Attributes of Google's Agent Development Kit: bodies of Gemini's API. */
const ADK = {
  request: "gcp.vertex.agent.llm_request",
  response: "gcp.vertex.agent.llm_response",
  args: "gcp.vertex.agent.tool_call_args",
  result: "gcp.vertex.agent.tool_response",
} as const;

/**
 * Adds to a span's attributes of OpenInference, OpenLLMetry, Langfuse or ADK those of the conventions for generative
 * AI, so that they are read alike. Existing attributes of the conventions count first.
 */
export function conventionAttributes(attributes: Attributes): Attributes {
  const added = [openInference, traceloop, langfuse, adk]
    .flatMap((read) => read(attributes))
    .filter(([key, value]) => value !== undefined && (!attributes.has(key) || key.startsWith("traceloop.")));
  return added.length === 0 ? attributes : new Map([...attributes, ...added]);
}

type Added = readonly (readonly [key: string, value: unknown])[];

function openInference(attributes: Attributes): Added {
  const written = attributes.get(OPEN_INFERENCE.kind);
  const kind = typeof written === "string" ? written.toUpperCase() : "";
  if (kind === "TOOL")
    return [
      [GEN_AI.operation, GEN_AI_OPERATION.executeTool],
      [GEN_AI.toolName, attributes.get(OPEN_INFERENCE.toolName)],
    ];
  if (kind !== "LLM") return [];
  const parameters = unpacked(attributes.get(OPEN_INFERENCE.parameters));
  const tools = indexed(attributes, OPEN_INFERENCE.tools).map(({ tool }) =>
    isPlainObject(tool) ? unpacked(tool["json_schema"]) : tool,
  );
  // The numbered messages leave out parts: system messages, contents of images, all but one of a message's results.
  const request = bodyOf(attributes.get(OPEN_INFERENCE.request), ["messages", "input", "contents"]);
  const response = bodyOf(attributes.get(OPEN_INFERENCE.response), ["choices", "content", "output", "candidates"]);
  const inputs = request ?? listed(indexed(attributes, OPEN_INFERENCE.inputs).map(openInferenceMessage));
  const outputs = response ?? listed(indexed(attributes, OPEN_INFERENCE.outputs).map(openInferenceMessage));
  return [
    [GEN_AI.operation, GEN_AI_OPERATION.chat],
    [GEN_AI.responseModel, attributes.get(OPEN_INFERENCE.model)],
    [GEN_AI.provider, OPEN_INFERENCE.provider.map((key) => attributes.get(key)).find((value) => value !== undefined)],
    [GEN_AI.inputMessages, inputs],
    [GEN_AI.outputMessages, outputs],
    [GEN_AI.toolDefinitions, listed(tools)],
    [GEN_AI.usageInputTokens, attributes.get(OPEN_INFERENCE.promptTokens)],
    [GEN_AI.usageOutputTokens, attributes.get(OPEN_INFERENCE.completionTokens)],
    ...requested(parameters),
  ];
}

/** Returns a request or a response as the provider's API has it, with its model, or as LangChain writes it. */
function bodyOf(written: unknown, contents: readonly string[]): Fields | undefined {
  const body = unpacked(written);
  if (!isPlainObject(body)) return undefined;
  const { messages, generations } = body;
  if (isArray(generations) || (isArray(messages) && isArray(messages[0]))) return body;
  if (typeof body["model"] !== "string") return undefined;
  return contents.some((name) => isArray(body[name]) || typeof body[name] === "string") ? body : undefined;
}

function openInferenceMessage(item: Fields): unknown {
  const message = isPlainObject(item["message"]) ? item["message"] : item;
  const { contents, tool_calls: calls, ...rest } = message;
  const parts = fieldsIn(contents).map(({ message_content: part }) => {
    if (!isPlainObject(part)) return {};
    const { image } = recordIn(part["image"]);
    return image === undefined ? part : { type: "image_url", image_url: image };
  });
  const toolCalls = fieldsIn(calls).map(({ tool_call: call }) => call);
  return {
    ...rest,
    ...(parts.length > 0 && { content: parts }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  };
}

function traceloop(attributes: Attributes): Added {
  const prompts = indexed(attributes, GEN_AI_OLD.prompt).map(traceloopMessage);
  const completions = indexed(attributes, GEN_AI_OLD.completion).map((message) =>
    traceloopMessage({ role: "assistant", ...message }),
  );
  const isTool = attributes.get(TRACELOOP.kind) === "tool";
  const input = passed(unpacked(attributes.get(TRACELOOP.input)));
  return [
    [GEN_AI.inputMessages, listed(prompts)],
    [GEN_AI.outputMessages, listed(completions)],
    [GEN_AI.toolDefinitions, listed(indexed(attributes, TRACELOOP.functions))],
    [TRACELOOP.input, input],
    [TRACELOOP.output, returned(unpacked(attributes.get(TRACELOOP.output)))],
    ...(isTool
      ? ([
          [GEN_AI.operation, GEN_AI_OPERATION.executeTool],
          [GEN_AI.toolName, attributes.get(TRACELOOP.name)],
          [GEN_AI.toolCallArguments, input],
        ] as const)
      : []),
  ];
}

function langfuse(attributes: Attributes): Added {
  const [input, output] = [attributes.get(LANGFUSE.input), attributes.get(LANGFUSE.output)];
  const type = attributes.get(LANGFUSE.type);
  const isModel = type === "generation";
  const request = unpacked(input);
  return [
    ["input.value", input],
    ["output.value", output],
    ...(type === "tool" ? [[GEN_AI.operation, GEN_AI_OPERATION.executeTool] as const] : []),
    ...(isModel
      ? ([
          [GEN_AI.operation, GEN_AI_OPERATION.chat],
          [GEN_AI.responseModel, attributes.get(LANGFUSE.model)],
          [GEN_AI.inputMessages, input],
          [GEN_AI.outputMessages, output],
          [GEN_AI.toolDefinitions, recordIn(request)["tools"]],
          ...requested(unpacked(attributes.get(LANGFUSE.parameters))),
        ] as const)
      : []),
  ];
}

function adk(attributes: Attributes): Added {
  if (attributes.get(GEN_AI.operation) === GEN_AI_OPERATION.executeTool)
    return [
      [GEN_AI.toolCallArguments, attributes.get(ADK.args)],
      [GEN_AI.toolCallResult, attributes.get(ADK.result)],
    ];
  const request = unpacked(attributes.get(ADK.request));
  if (!isPlainObject(request) || !isArray(request["contents"])) return [];
  const config = recordIn(request["config"]);
  return [
    [GEN_AI.operation, GEN_AI_OPERATION.chat],
    [GEN_AI.inputMessages, request],
    [GEN_AI.outputMessages, attributes.get(ADK.response)],
    [GEN_AI.toolDefinitions, config["tools"]],
    ...requested(config),
  ];
}

function requested(parameters: unknown): Added {
  return Object.entries(recordIn(parameters)).map(([name, value]) => [`gen_ai.request.${name}`, value]);
}

function traceloopMessage({ content, tool_calls: calls, ...rest }: Fields): unknown {
  const parts = unpacked(content);
  const toolCalls = fieldsIn(calls).map((call) => ({ type: "tool_call", ...call }));
  return {
    ...rest,
    content: isArray(parts) ? parts : content,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  };
}

/** Returns a function's argument from the box in which its decorator writes it. */
function passed(input: unknown): unknown {
  if (!isPlainObject(input)) return input;
  const { args, kwargs, inputs } = input;
  if (inputs !== undefined && ("tags" in input || "input_str" in input)) return inputs;
  if (!isArray(args)) return input;
  if (isPlainObject(kwargs) && Object.keys(kwargs).length > 0) return kwargs;
  return args.length === 1 ? args[0] : args;
}

function returned(output: unknown): unknown {
  return isPlainObject(output) && "output" in output && "kwargs" in output ? output["output"] : output;
}

function listed(items: readonly unknown[]): readonly unknown[] | undefined {
  return items.length === 0 ? undefined : items;
}

/**
 * Returns a list that attributes write item by item: `gen_ai.prompt.0.role`, or as one list. Nested lists are written
 * the same way.
 */
function indexed(attributes: Attributes, prefix: string): readonly Fields[] {
  const whole = unpacked(attributes.get(prefix));
  if (isArray(whole)) return recordsIn(whole);
  const root: Record<string, unknown> = {};
  for (const [key, value] of attributes) {
    if (!key.startsWith(`${prefix}.`)) continue;
    const names = key.slice(prefix.length + 1).split(".");
    if (/^\d+$/.test(names[0] ?? "")) put(root, names, value);
  }
  return fieldsIn(root);
}

/** Puts a value below its names. They are untrusted, so a name such as `__proto__` is defined as an own property. */
function put(into: Record<string, unknown>, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    if (!Object.hasOwn(into, name)) Object.defineProperty(into, name, { value, enumerable: true, configurable: true });
    return;
  }
  const known = Object.hasOwn(into, name) ? into[name] : undefined;
  const below: Record<string, unknown> = isPlainObject(known) ? known : {};
  if (known !== below) Object.defineProperty(into, name, { value: below, enumerable: true, configurable: true });
  put(below, rest, value);
}

/** Returns the items of a list, or those of an object whose keys are indexes. */
function fieldsIn(value: unknown): readonly Fields[] {
  if (isArray(value)) return recordsIn(value);
  const numbered = Object.entries(recordIn(value)).filter(([index]) => /^\d+$/.test(index));
  return recordsIn(numbered.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item));
}
