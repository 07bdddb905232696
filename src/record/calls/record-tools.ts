import { types } from "node:util";
import { isArray, isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { currentInterceptors, inOwnRun } from "../interceptors/recording-scope.ts";
import { registerRecorder } from "../interceptors/recorders.ts";
import { type ToolFacts, markTool, toolFacts } from "../interceptors/tool-mark.ts";
import { toolRecorder } from "../interceptors/tool-recorder.ts";
import { TOOL_EFFECTS, type ToolEffect } from "./tool.ts";
import { refuseUnknownOptions, refuseUnknownWord } from "../../kernel/did-you-mean.ts";

/** Options for {@link recordTools}. */
export interface RecordToolsOptions {
  /** Effects of tools by name, `*` for all others. Default: the effect that a tool declares, or `write`. */
  readonly effects?: Readonly<Record<string, ToolEffect>>;
  /** Stubs for writes that are skipped, by the tool's name. */
  readonly stubs?: Readonly<Record<string, (...args: readonly never[]) => unknown>>;
}

/** Name for all tools without a declared effect. */
const OTHERS = "*";

type Body = (...args: readonly unknown[]) => unknown;

/**
 * Wraps an agent's tools so that their calls are recorded, and replayed from the baseline. Takes a tool set of the AI
 * SDK or Mastra, a list of OpenAI Agents or LangChain tools, or plain functions by name. Use the returned tools, which
 * have the same type; the originals aren't changed. Outside recorded runs, tools run as usual. Throws a TypeError if
 * there are no tools, an option or effect is unknown, or an effect names an unknown tool.
 *
 * @example
 * const tools = recordTools({ weather, deleteUser }, { effects: { deleteUser: "write" } });
 * const { text } = await generateText({ model, tools, prompt });
 */
export function recordTools<Tools extends object>(tools: Tools, options: RecordToolsOptions = {}): Tools {
  registerRecorder("tools", toolRecorder);
  const entries = isArray(tools) ? tools.map((tool) => [nameIn(tool), tool] as const) : Object.entries(tools);
  const names = new Set(entries.map(([name]) => name));
  refuseUnknownOptions("recordTools", options, ["effects", "stubs"]);
  for (const [name, effect] of Object.entries(options.effects ?? {}))
    refuseUnknownWord(`recordTools: effects[${JSON.stringify(name)}]`, effect, TOOL_EFFECTS);
  const { [OTHERS]: _others, ...effects } = options.effects ?? {};
  const unknownName = Object.keys({ ...effects, ...options.stubs }).find((name) => !names.has(name));
  if (unknownName !== undefined)
    throw new TypeError(
      `recordTools: there is no tool "${unknownName}". Available: ${[...names].join(", ") || "none"}.`,
    );
  const wrapped = entries.map(([name, tool]) => [name, wrapTool(tool, factsOf(name, tool, options))] as const);
  const recordedTools: unknown = isArray(tools) ? wrapped.map(([, tool]) => tool) : Object.fromEntries(wrapped);
  if (!isLike(recordedTools, tools)) throw new TypeError("recordTools needs an object or a list of tools.");
  return recordedTools;
}

function factsOf(name: string, tool: unknown, { effects = {}, stubs = {} }: RecordToolsOptions): ToolFacts {
  const own = typeof tool === "function" ? toolFacts(tool) : undefined;
  const stub = Object.hasOwn(stubs, name) ? stubs[name] : undefined;
  const stubResponse = (args: readonly unknown[]): unknown => stub && Reflect.apply(stub, undefined, [...args]);
  // Callers of an async tool may rely on its promise.
  const isAsync = types.isAsyncFunction(typeof tool === "function" ? tool : bodyOf(tool)?.run);
  const stubbed = isAsync
    ? async (...args: readonly unknown[]) => stubResponse(args)
    : (...args: readonly unknown[]) => stubResponse(args);
  const declared = own?.isUndeclared === true ? undefined : own?.role;
  const role = (Object.hasOwn(effects, name) ? effects[name] : undefined) ?? declared ?? effects[OTHERS];
  return {
    name,
    role: role ?? "write",
    isUndeclared: role === undefined,
    stub: stub === undefined ? own?.stub : stubbed,
  };
}

function nameIn(tool: unknown): string {
  const name: unknown =
    (typeof tool === "object" && tool !== null) || typeof tool === "function" ? Reflect.get(tool, "name") : "";
  return typeof name === "string" ? name : "";
}

/** Members that hold a tool's body in each SDK, and the part of its arguments that the model wrote. */
const BODIES: readonly {
  readonly member: string;
  readonly modelArgs: (args: readonly unknown[]) => readonly unknown[];
}[] = [
  // The AI SDK and Mastra: execute(input, options).
  { member: "execute", modelArgs: (args) => args.slice(0, 1) },
  // LangChain: func(input, runManager, config).
  { member: "func", modelArgs: (args) => args.slice(0, 1) },
  // OpenAI Agents: invoke(context, the arguments as JSON text, details).
  { member: "invoke", modelArgs: ([, input]) => [parsedText(input)] },
];

/** The body of a tool of an SDK; undefined for a tool without one. */
function bodyOf(tool: unknown): ((typeof BODIES)[number] & { readonly run: Function }) | undefined {
  if (typeof tool !== "object" || tool === null) return undefined;
  for (const body of BODIES) {
    const run: unknown = Object.hasOwn(tool, body.member) ? Reflect.get(tool, body.member) : undefined;
    if (typeof run === "function") return { ...body, run };
  }
  return undefined;
}

/** Returns a copy of a tool whose body is recorded; a tool without a body (a provider's tool) is returned unchanged. */
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
    value: markTool(recorded(whole, { facts, modelArgs: body.modelArgs }), facts),
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

function recordedFunction(tool: object, facts: ToolFacts): unknown {
  const run: Body = (...args) => (typeof tool === "function" ? Reflect.apply(tool, undefined, args) : undefined);
  // A tool of veritest is recorded already.
  if (toolFacts(tool) !== undefined) return tool;
  const wrapped = recorded(run, { facts, modelArgs: (args) => args });
  return markTool(Object.defineProperty(wrapped, "name", { value: facts.name, configurable: true }), facts);
}

function recorded(
  run: Body,
  {
    facts,
    modelArgs,
  }: { readonly facts: ToolFacts; readonly modelArgs: (args: readonly unknown[]) => readonly unknown[] },
): Body {
  return (...args) =>
    inOwnRun(
      () => `called the tool ${facts.name}`,
      () => {
        const interceptor = currentInterceptors().tools;
        return interceptor === undefined
          ? run(...args)
          : interceptor({ facts, args: modelArgs(args), run: () => run(...args) });
      },
    );
}

function parsedText(input: unknown): unknown {
  if (typeof input !== "string") return input;
  const value = parsedJson(input);
  return value === undefined ? input : value;
}

// The copy has the members of the original; the compiler cannot see that.
function isLike<T extends object>(copy: unknown, original: T): copy is T {
  return isArray(copy) === isArray(original) && (isArray(copy) || isPlainObject(copy));
}
