import { types } from "node:util";
import { isArray, isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { currentInterceptors } from "../interceptors/recording-scope.ts";
import { registerRecorder } from "../interceptors/recorders.ts";
import { type ToolFacts, markTool, toolFacts } from "../interceptors/tool-mark.ts";
import { toolRecorder } from "../interceptors/tool-recorder.ts";
import type { ToolEffect } from "./tool.ts";

/** What {@link recordTools} cannot see in the tools themselves. */
export interface RecordToolsOptions {
  /** The tools that change the world, by name; any other is a read, unless it says something else of itself. */
  readonly effects?: Readonly<Record<string, ToolEffect>>;
  /** What answers in the place of a write that is not to run, by the tool's name. */
  readonly stubs?: Readonly<Record<string, (...args: readonly never[]) => unknown>>;
}

type Body = (...args: readonly unknown[]) => unknown;

/**
 * Wraps the tools of an agent's SDK so that their calls are recorded, and answered from the baseline where answers are
 * recorded: a tool set of the AI SDK or Mastra, a list of tools of OpenAI Agents or LangChain, or plain functions by
 * name. The answer has the same type and is used in its place; the tools given are left as they are. Outside of
 * recorded runs the tools run as ever. Throws a TypeError for what holds no tools, and for an effect of an unknown one.
 *
 * @example
 * const tools = recordTools({ weather, deleteUser }, { effects: { deleteUser: "write" } });
 * const { text } = await generateText({ model, tools, prompt });
 */
export function recordTools<Tools extends object>(tools: Tools, options: RecordToolsOptions = {}): Tools {
  registerRecorder("tools", toolRecorder);
  const entries = isArray(tools) ? tools.map((tool) => [nameIn(tool), tool] as const) : Object.entries(tools);
  const names = new Set(entries.map(([name]) => name));
  const stray = Object.keys({ ...options.effects, ...options.stubs }).find((name) => !names.has(name));
  if (stray !== undefined)
    throw new TypeError(`recordTools: there is no tool "${stray}". There are: ${[...names].join(", ") || "none"}.`);
  const wrapped = entries.map(([name, tool]) => [name, wrapTool(tool, factsOf(name, tool, options))] as const);
  const taped: unknown = isArray(tools) ? wrapped.map(([, tool]) => tool) : Object.fromEntries(wrapped);
  if (!isLike(taped, tools)) throw new TypeError("recordTools: give a set or a list of tools.");
  return taped;
}

function factsOf(name: string, tool: unknown, { effects = {}, stubs = {} }: RecordToolsOptions): ToolFacts {
  const own = typeof tool === "function" ? toolFacts(tool) : undefined;
  const stub = Object.hasOwn(stubs, name) ? stubs[name] : undefined;
  const answers = (args: readonly unknown[]): unknown => stub && Reflect.apply(stub, undefined, [...args]);
  // Who calls an async tool may use its promise as one.
  const isAsync = types.isAsyncFunction(typeof tool === "function" ? tool : bodyOf(tool)?.run);
  const inItsPlace = isAsync
    ? async (...args: readonly unknown[]) => answers(args)
    : (...args: readonly unknown[]) => answers(args);
  return {
    name,
    role: (Object.hasOwn(effects, name) ? effects[name] : undefined) ?? own?.role ?? "read",
    stub: stub === undefined ? own?.stub : inItsPlace,
  };
}

function nameIn(tool: unknown): string {
  const name: unknown =
    (typeof tool === "object" && tool !== null) || typeof tool === "function" ? Reflect.get(tool, "name") : "";
  return typeof name === "string" ? name : "";
}

/** How each SDK runs a tool: the member that holds the body, and what of its arguments the model asked. */
const BODIES: readonly { readonly member: string; readonly asked: (args: readonly unknown[]) => readonly unknown[] }[] =
  [
    // The AI SDK and Mastra: execute(input, options).
    { member: "execute", asked: (args) => args.slice(0, 1) },
    // LangChain: func(input, runManager, config).
    { member: "func", asked: (args) => args.slice(0, 1) },
    // OpenAI Agents: invoke(context, the arguments as JSON text, details).
    { member: "invoke", asked: ([, input]) => [parsedText(input)] },
  ];

/** The body of a tool of an SDK; undefined for what has none of its own. */
function bodyOf(tool: unknown): ((typeof BODIES)[number] & { readonly run: Function }) | undefined {
  if (typeof tool !== "object" || tool === null) return undefined;
  for (const body of BODIES) {
    const run: unknown = Object.hasOwn(tool, body.member) ? Reflect.get(tool, body.member) : undefined;
    if (typeof run === "function") return { ...body, run };
  }
  return undefined;
}

/** A copy of a tool whose body is taped; what has no body of its own (a provider's tool) comes back itself. */
function wrapTool(tool: unknown, facts: ToolFacts): unknown {
  if (typeof tool === "function") return recordedFunction(tool, facts);
  const body = bodyOf(tool);
  if (typeof tool !== "object" || tool === null || body === undefined) return tool;
  const { run } = body;
  const prototype = Reflect.getPrototypeOf(tool);
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(tool));
  Reflect.setPrototypeOf(copy, prototype);
  const whole: Body = (...args) => Reflect.apply(run, tool, args);
  return Object.defineProperty(copy, body.member, {
    value: markTool(recorded(whole, { facts, asked: body.asked }), facts),
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

function recordedFunction(tool: object, facts: ToolFacts): unknown {
  const run: Body = (...args) => (typeof tool === "function" ? Reflect.apply(tool, undefined, args) : undefined);
  // A tool of ours is taped already; it must not be recorded twice.
  if (toolFacts(tool) !== undefined) return tool;
  const wrapped = recorded(run, { facts, asked: (args) => args });
  return markTool(Object.defineProperty(wrapped, "name", { value: facts.name, configurable: true }), facts);
}

function recorded(
  run: Body,
  { facts, asked }: { readonly facts: ToolFacts; readonly asked: (args: readonly unknown[]) => readonly unknown[] },
): Body {
  return (...args) => {
    const answering = currentInterceptors().tools;
    return answering === undefined ? run(...args) : answering({ facts, args: asked(args), run: () => run(...args) });
  };
}

function parsedText(input: unknown): unknown {
  if (typeof input !== "string") return input;
  const value = parsedJson(input);
  return value === undefined ? input : value;
}

// What was wrapped has the members of what was given; the compiler cannot follow that through a copy.
function isLike<T extends object>(copy: unknown, given: T): copy is T {
  return isArray(copy) === isArray(given) && (isArray(copy) || isPlainObject(copy));
}
