import type { CallRole } from "../../kernel/call-role.ts";
import { eventsIn } from "../../kernel/event-stream.ts";
import { isArray, isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { recordIn } from "../../kernel/json/read-data.ts";
import { type AdapterCall, adapterSegments, isMethodCall } from "../adapter-call.ts";

/** A request of a model for a tool that its step doesn't have, in one of two runs only. */
interface UnknownTool {
  readonly kind: "added" | "removed";
  readonly adapter: string;
  readonly role: CallRole;
  readonly request: unknown;
  readonly times: 1;
}

/**
 * Returns the unknown tools that the models of one run asked for and those of the other didn't. A step answers such a
 * request without a call, so the calls don't show it. A tool is unknown if no request offered it and no call has its
 * name.
 */
export function unknownToolChanges(
  before: readonly AdapterCall[],
  after: readonly AdapterCall[],
  roleOf: (call: AdapterCall) => CallRole,
): readonly UnknownTool[] {
  const isModel = (call: AdapterCall): boolean => roleOf(call) === "model";
  const was = requestedTools(before.filter(isModel));
  const is = requestedTools(after.filter(isModel));
  if ([...is.keys()].every((name) => was.has(name)) && [...was.keys()].every((name) => is.has(name))) return [];
  const all = [...before, ...after];
  const known = all.filter(isModel).flatMap(offeredTools);
  // A step that looks for the tool reads its property.
  const toolCalls = all.filter((call) => isMethodCall(call) && !isModel(call));
  const isKnown = (name: string): boolean => known.includes(name) || toolCalls.some((call) => namesTool(call, name));
  const only = (kind: "added" | "removed", tools: Tools, other: Tools): readonly UnknownTool[] =>
    [...tools]
      .filter(([name]) => !other.has(name) && !isKnown(name))
      .map(([name, request]) => ({ kind, adapter: `unknown tool ${name}`, role: "model", request, times: 1 }));
  return [...only("removed", was, is), ...only("added", is, was)];
}

/** The input of the first request for each tool, by its name. */
type Tools = ReadonlyMap<string, unknown>;

function requestedTools(calls: readonly AdapterCall[]): Tools {
  const tools = new Map<string, unknown>();
  for (const { response } of calls)
    visit(responseData(response), (fields) => {
      const { name, input } = toolRequest(fields) ?? {};
      if (name !== undefined && !tools.has(name)) tools.set(name, parsedInput(input));
    });
  return tools;
}

/** The JSON of a response: also that of an HTTP body, and of its events. */
function responseData(response: unknown): unknown {
  const { chunks, text } = recordIn(recordIn(response)["body"]);
  if (isArray(chunks)) {
    const written = chunks.filter((chunk) => typeof chunk === "string").join("");
    const events = eventsIn(written).map(({ data }) => data);
    return (events.length > 0 ? events : written.split("\n")).map(jsonOf);
  }
  return typeof text === "string" ? jsonOf(text) : response;
}

function jsonOf(text: string): unknown {
  return /^\s*[[{]/.test(text) ? parsedJson(text) : undefined;
}

/** Name and input of a request for a tool, in the form of one of the providers; undefined for other data. */
function toolRequest(
  fields: Readonly<Record<string, unknown>>,
): { readonly name: string; readonly input: unknown } | undefined {
  const { type, function: called, functionCall, toolUse } = fields;
  const inner = [called, functionCall, toolUse].find(isPlainObject);
  if (inner !== undefined) return named(inner["name"], inner["arguments"] ?? inner["args"] ?? inner["input"]);
  if (typeof type !== "string" || !REQUEST_TYPES.has(type)) return undefined;
  return named(fields["toolName"] ?? fields["name"], fields["arguments"] ?? fields["args"] ?? fields["input"]);
}

/** Types of such a request: of OpenAI's responses, Anthropic, the AI SDK, and LangChain. */
const REQUEST_TYPES: ReadonlySet<string> = new Set(["function_call", "tool_use", "tool-call", "tool_call"]);

function named(name: unknown, input: unknown): { readonly name: string; readonly input: unknown } | undefined {
  return typeof name === "string" && name !== "" ? { name, input } : undefined;
}

function parsedInput(input: unknown): unknown {
  return typeof input === "string" ? (parsedJson(input) ?? input) : (input ?? null);
}

/** Names of the tools that a request offers to its model. */
function offeredTools({ request }: AdapterCall): readonly string[] {
  const names: string[] = [];
  visit(request, ({ tools }) => {
    if (isPlainObject(tools)) names.push(...Object.keys(tools));
    visit(tools, ({ name }) => {
      if (typeof name === "string") names.push(name);
    });
  });
  return names;
}

/** Returns true if a call's path, or an argument, names a tool. Servers may put their own name before it. */
function namesTool({ adapter, request }: AdapterCall, name: string): boolean {
  const isEnd = (part: string): boolean =>
    name === part || (name.endsWith(part) && /[^a-z\d]/i.test(name.at(-part.length - 1) ?? ""));
  return adapterSegments(adapter).some((part) => part !== "" && isEnd(part)) || containsText(request, name);
}

function containsText(value: unknown, text: string): boolean {
  if (typeof value === "object" && value !== null)
    return Object.values(value).some((inner) => containsText(inner, text));
  return value === text;
}

/** Depth of data below which no provider has a request for a tool. */
const MAX_DEPTH = 16;

/** Visits every object of plain data. */
function visit(value: unknown, see: (fields: Readonly<Record<string, unknown>>) => void, depth = 0): void {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
  if (isPlainObject(value)) see(value);
  for (const inner of Object.values(value)) visit(inner, see, depth + 1);
}
