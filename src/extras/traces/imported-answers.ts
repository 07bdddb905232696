import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { quote } from "../../kernel/text.ts";
import { isSameData } from "./imported-run.ts";
import type { SeenAdapter, SeenCall, SeenModel, SeenTool } from "./observation.ts";

/** What a step is answered with that asks for something a trace does not hold. */
export class ImportMissError extends Error {}

/** The answers of a trace, each of which is given once. */
export class ImportedAnswers {
  readonly #left: Set<SeenCall>;
  readonly #misses: string[] = [];

  constructor(calls: readonly SeenCall[]) {
    // A question that failed and was asked again is the SDK's affair.
    this.#left = new Set(calls.filter((call, at) => !isRetried(call, calls.slice(at + 1))));
  }

  /** The model's answer to a question: of those left the one whose last words are in it, else the next. */
  model(path: string, question: unknown): SeenModel {
    const models = this.#of((call) => call.kind === "model");
    const text = models.length > 1 ? textOf(question) : "";
    const [next] = models;
    const asked = models.find(({ turns }) => isIn(turns.at(-1)?.text ?? "", text)) ?? next;
    // What was asked before is in every question after: the first that fits is the one.
    return this.#take(asked, `asks a model (${path}) once more`);
  }

  /** What a tool gave for its arguments, else what it gave next. */
  tool(name: string, args: unknown): SeenTool {
    const tools = this.#of((call): call is SeenTool => call.kind === "tool" && call.name === name);
    return this.#take(
      tools.find((call) => isSameData(call.args, args)) ?? tools[0],
      `calls tool ${quote(name)} once more`,
    );
  }

  /** What an adapter answered that is named in the trace itself. */
  adapter(path: string, args: readonly unknown[]): SeenAdapter {
    const calls = this.#of((call): call is SeenAdapter => call.kind === "adapter" && call.adapter === path);
    return this.#take(
      calls.find((call) => isSameData(call.request, args)) ?? calls[0],
      `calls ${quote(path)} once more`,
    );
  }

  /** Which kind of call of the trace a path of adapters is, with the tool's name; undefined where there is none. */
  kindOf(path: string): { readonly kind: "adapter" } | { readonly kind: "tool"; readonly name: string } | undefined {
    if (this.#was((call) => call.kind === "adapter" && call.adapter === path)) return { kind: "adapter" };
    const names = path.split(".");
    const name = names.at(-1) === "execute" ? names.at(-2) : names.at(-1);
    const whole = path.replace(/^tools\./, "");
    const found = [whole, name].find((one) => this.#was((call) => call.kind === "tool" && call.name === one));
    return found === undefined ? undefined : { kind: "tool", name: found };
  }

  /** Notes that nothing here answers, and gives the error to say it with. */
  miss(what: string): ImportMissError {
    this.#misses.push(what);
    return new ImportMissError(`Today's step ${what}, and the trace holds no answer to that.`);
  }

  /** What was asked and not found, a phrase each. */
  misses(): readonly string[] {
    return this.#misses;
  }

  /** What the trace holds and nothing asked for, a phrase each. */
  left(): readonly string[] {
    return [...this.#left].map(nameOfCall);
  }

  readonly #known: SeenCall[] = [];

  #was(is: (call: SeenCall) => boolean): boolean {
    return [...this.#left, ...this.#known].some(is);
  }

  #of<C extends SeenCall>(is: (call: SeenCall) => call is C): readonly C[] {
    return [...this.#left].filter(is);
  }

  #take<C extends SeenCall>(call: C | undefined, what: string): C {
    if (call === undefined) throw this.miss(what);
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
