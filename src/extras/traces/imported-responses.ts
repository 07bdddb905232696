import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { quote } from "../../kernel/text.ts";
import { FETCH } from "../../record/adapter-call.ts";
import { isSameData } from "./same-data.ts";
import { differentArguments, requestDifferences, uncomparedParts } from "./request-differences.ts";
import { knownShape } from "./response-shapes.ts";
import type { SeenAdapter, SeenCall, SeenModel, SeenTool } from "./observation.ts";

/** Error of a call that the trace doesn't have. */
export class UnrecordedImportError extends Error {}

/** Responses of a trace, each used once. */
export class ImportedResponses {
  readonly #left: Set<SeenCall>;
  /** Tools before a request that has results: they may be plain code of the step, so the request is compared. */
  readonly #compared: ReadonlySet<SeenCall>;
  /** Differences, each with the calls that have it. */
  readonly #differences = new Map<string, string[]>();
  readonly #uncompared = new Set<string>();
  readonly #unrecorded: string[] = [];

  constructor(calls: readonly SeenCall[]) {
    // A failed request that was repeated is a retry of the SDK.
    const hasResults = (call: SeenCall): boolean =>
      call.kind === "model" && call.turns.some(({ role, results }) => role === "tool" || results.length > 0);
    const lastAt = calls.findLastIndex(hasResults);
    this.#compared = new Set(calls.filter(({ kind }, at) => kind === "tool" && at < lastAt));
    this.#left = new Set(calls.filter((call, at) => !isRetried(call, calls.slice(at + 1))));
  }

  /** Returns the model's response to a request: the unused one whose last words are in it, otherwise the next one. */
  model(path: string, args: readonly unknown[]): SeenModel {
    const models = this.#of((call) => call.kind === "model");
    const text = models.length > 1 ? textOf(args) : "";
    const [next] = models;
    const match = models.find(({ turns }) => isIn(turns.at(-1)?.text ?? "", text)) ?? next;
    // Every later request includes the earlier messages, so the first match is right.
    const call = this.#take(match, `calls a model (${path}) more often than the trace contains`);
    this.#differ("request", "model", requestDifferences(call, args, knownShape(path) !== undefined));
    for (const part of uncomparedParts(call, args)) this.#uncompared.add(part);
    return call;
  }

  /** Returns a tool's result for its arguments, otherwise its next result. */
  tool(name: string, args: unknown): SeenTool {
    const tools = this.#of((call): call is SeenTool => call.kind === "tool" && call.name === name);
    const call = this.#take(
      tools.find((other) => isSameData(other.args, args)) ?? tools[0],
      `calls tool ${quote(name)} more often than the trace contains`,
    );
    this.#differ("call", "tool", differentArguments(`tool ${quote(name)}`, call.args, args));
    return call;
  }

  /** Returns the response of an adapter that the trace names. */
  adapter(path: string, args: readonly unknown[]): SeenAdapter {
    const calls = this.#of((call): call is SeenAdapter => call.kind === "adapter" && call.adapter === path);
    const call = this.#take(
      calls.find((other) => isSameData(other.request, args)) ?? calls[0],
      `calls ${quote(path)} more often than the trace contains`,
    );
    this.#differ("call", "adapter", differentArguments(quote(path), call.request, args));
    return call;
  }

  /** Returns the traced response to the same request by `fetch`; undefined if there is none. */
  fetched(request: readonly unknown[]): unknown {
    const isSame = (call: SeenCall): call is SeenAdapter =>
      call.kind === "adapter" && call.adapter === FETCH && isSameData(call.request, request);
    const [call] = this.#of(isSame);
    return call === undefined ? undefined : this.#take(call, "").response?.value;
  }

  /** Kind of call of the trace that a path of adapters matches, with the tool's name; undefined if none matches. */
  kindOf(path: string): { readonly kind: "adapter" } | { readonly kind: "tool"; readonly name: string } | undefined {
    if (this.#was((call) => call.kind === "adapter" && call.adapter === path)) return { kind: "adapter" };
    const names = path.split(".");
    const name = names.at(-1) === "execute" ? names.at(-2) : names.at(-1);
    const whole = path.replace(/^tools\./, "");
    const toolName = [whole, name].find((candidate) =>
      this.#was((call) => call.kind === "tool" && call.name === candidate),
    );
    return toolName === undefined ? undefined : { kind: "tool", name: toolName };
  }

  /** Records a call without a response, and returns the error for it. */
  unrecordedError(what: string): UnrecordedImportError {
    this.#unrecorded.push(what);
    return new UnrecordedImportError(`The current step ${what}, but the trace doesn't contain a response for it.`);
  }

  /** Descriptions of calls that have no response in the trace. */
  unrecorded(): readonly string[] {
    return this.#unrecorded;
  }

  /**
   * Descriptions of responses in the trace that weren't used. A tool may be plain code of the step: its result is
   * compared with the next request, if there is one.
   */
  left(): readonly string[] {
    const isNeeded = (call: SeenCall): boolean =>
      call.kind === "model" || (call.kind === "tool" ? !this.#compared.has(call) : call.isOptional !== true);
    return [...this.#left].filter(isNeeded).map(nameOfCall);
  }

  /** Differences between the current step's requests and those of the trace. */
  differences(): readonly string[] {
    return [...this.#differences].map(([difference, [first = "", ...more]]) => {
      const suffix = more.length === 0 ? "" : ` (and ${more.length} more)`;
      return `${first}${suffix}, ${difference}`;
    });
  }

  /** Parts of requests that couldn't be compared, because the trace doesn't have them. */
  uncompared(): readonly string[] {
    return [...this.#uncompared];
  }

  #differ(what: string, kind: SeenCall["kind"], differences: readonly string[]): void {
    const count = this.#known.filter((call) => call.kind === kind).length;
    for (const difference of differences) {
      const calls = this.#differences.get(difference) ?? [];
      this.#differences.set(difference, [...calls, `${what} ${count}`]);
    }
  }

  readonly #known: SeenCall[] = [];

  #was(is: (call: SeenCall) => boolean): boolean {
    return [...this.#left, ...this.#known].some(is);
  }

  #of<C extends SeenCall>(is: (call: SeenCall) => call is C): readonly C[] {
    return [...this.#left].filter(is);
  }

  #take<C extends SeenCall>(call: C | undefined, what: string): C {
    if (call === undefined) throw this.unrecordedError(what);
    this.#left.delete(call);
    this.#known.push(call);
    return call;
  }
}

function nameOfCall(call: SeenCall): string {
  switch (call.kind) {
    case "model":
      return "a call of a model";
    case "tool":
      return `tool ${quote(call.name)}`;
    case "adapter":
      return quote(call.adapter);
  }
}

function isRetried(call: SeenCall, later: readonly SeenCall[]): boolean {
  if (call.kind !== "model" || call.error === undefined) return false;
  return later.some(
    (other) => other.kind === "model" && other.answer !== undefined && isSameData(other.turns, call.turns),
  );
}

function textOf(question: unknown): string {
  try {
    return stableStringify(question);
  } catch {
    return "";
  }
}

function isIn(words: string, text: string): boolean {
  return words !== "" && text.includes(JSON.stringify(words).slice(1, -1));
}
