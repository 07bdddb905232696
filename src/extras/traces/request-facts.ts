import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { unpacked } from "./json-items.ts";
import type { ModelRequestFacts, RequestTool } from "./observation.ts";
import { textField } from "./turns.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Parameters whose values have another form in each notation: only requests of a provider's API have these names. */
export const PROVIDER_PARAMETERS: ReadonlySet<string> = new Set([
  "tool_choice",
  "response_format",
  "reasoning",
  "thinking",
  "n",
  "logit_bias",
]);

/** Parameters by the names that providers, SDKs and tracers give them. */
const PARAMETERS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["temperature"],
    ["max_tokens", "maxTokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens"],
    ["top_p", "topP"],
    ["top_k", "topK"],
    ["seed"],
    ["frequency_penalty", "frequencyPenalty"],
    ["presence_penalty", "presencePenalty"],
    ["stop", "stop_sequences", "stopSequences"],
    ["reasoning_effort", "reasoningEffort"],
    ...[...PROVIDER_PARAMETERS].map((name) => [name]),
  ].flatMap((aliases) => aliases.map((alias) => [alias, aliases[0] ?? alias])),
);

/** Reads the facts of a request from its fields, in any notation. */
export function requestFacts(fields: Fields): ModelRequestFacts {
  const model = textField(fields, "model", "modelId");
  const settings = [fields["config"], fields["generationConfig"]].filter(isPlainObject);
  const list = [fields, ...settings].map(({ tools: written }) => unpacked(written)).find(isArray);
  const tools = list?.flatMap((tool) => toolOf(unpacked(tool)));
  const parameters = [fields, ...settings].flatMap((values) =>
    Object.entries(values).flatMap(([name, value]) => {
      const known = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
      return known === undefined || value === undefined || value === null ? [] : [[known, plain(value)] as const];
    }),
  );
  return {
    ...(model === undefined || model === "" ? {} : { model }),
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
    parameters: Object.fromEntries(parameters),
  };
}

/** Tracers write numbers as texts, and a list of one text as that text. */
function plain(value: unknown): unknown {
  const data = unpacked(value);
  if (typeof data === "string" && data.trim() !== "" && Number.isFinite(Number(data))) return Number(data);
  return isArray(data) && data.length === 1 ? data[0] : data;
}

/** Reads tools of OpenAI, Anthropic, the AI SDK, Gemini and OpenInference. */
function toolOf(tool: unknown): readonly RequestTool[] {
  if (!isPlainObject(tool)) return [];
  const declared = tool["functionDeclarations"] ?? tool["function_declarations"];
  if (isArray(declared)) return declared.flatMap(toolOf);
  const inner = isPlainObject(tool["function"]) ? tool["function"] : tool;
  // A tool of the provider's own may only have a type, such as a search, or a field in Gemini's notation.
  const type = textField(tool, "type");
  const [field] = type === undefined ? Object.keys(tool) : [type];
  const name = textField(inner, "name") ?? (type === "function" ? undefined : field);
  if (name === undefined) return [];
  const description = textField(inner, "description");
  const schema = ["parameters", "input_schema", "inputSchema", "parametersJsonSchema"]
    .map((field) => inner[field])
    .find(isPlainObject);
  return [
    {
      name,
      ...(description === undefined ? {} : { description }),
      ...(schema === undefined ? {} : { schema: withoutDialect(schema) }),
    },
  ];
}

/** Some SDKs add the schema's dialect, which says nothing about the arguments. */
function withoutDialect({ $schema: _dialect, ...schema }: Fields): Fields {
  return schema;
}
