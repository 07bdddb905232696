import type { SignalDocument } from "./documents.ts";
import type { Extraction } from "./extraction.ts";

/** Something a step asks of a tool: `find` and `price` read, `post` and `notify` write. */
export interface ToolCall {
  readonly tool: "find" | "price" | "post" | "notify";
  readonly request: Readonly<Record<string, unknown>>;
}

/** What a test refuses with `.not`: a name or the source of a RegExp, and a part of the request, payload or input. */
export interface Refusal {
  readonly [option: string]: unknown;
  readonly matcher: "toCall" | "toEmitEvent" | "toInvoke";
  readonly name?: string;
  readonly pattern?: string;
  readonly part?: object;
}

/** What a step and its world do, as data: two of them are one step before and after a change. */
export interface Behaviour {
  /** What the model is asked, a request each. */
  readonly questions: readonly Readonly<Record<string, unknown>>[];
  /** What the model finds, and what it says beside that. */
  readonly answer: object;
  readonly stamp: { readonly id: string; readonly created: number };
  /** What the tools answer. */
  readonly tool: object;
  readonly calls: readonly ToolCall[];
  /** Fields that the step's code puts over what the model found. */
  readonly edit: object;
  /** What the step's code gives instead of what the model found. */
  readonly output: object | null;
  readonly events: readonly object[];
  readonly commands: readonly object[];
  readonly schema: "any" | "typed" | "tight" | "named" | "dated";
  readonly input: "any" | "trimmed" | "needs";
  /** How a run ends instead: in a failure, thrown error, model or tool that is down, status of the model's service. */
  readonly ends: "fail" | "throw" | "model" | "tool" | number | null;
  /** A date in the first question; `now`: today's. */
  readonly today: string | null;
  /** True if the step says that `post` comes after `find`. */
  readonly order: boolean;
  /** True if the order of keyed entities counts. */
  readonly ordered: boolean;
  /** Fields of the input beside the document. */
  readonly more: object;
  /** Tool whose first call fails; the step goes on. */
  readonly failing: ToolCall["tool"] | null;
  /** Order in which the output names the tools of the calls. */
  readonly collects: "started" | "completed" | null;
  /** What JSON cannot hold of a plan. */
  readonly twist: "undefined" | "negative zero" | "date" | "ISO date" | "slow" | "map" | "set" | "instant" | null;
}

/** What a class of changes makes of one document. */
export interface Scene {
  /** How the step is asked about. */
  readonly matcher: "step" | "value" | "replay" | "result" | "key" | "not";
  readonly mode: "replay" | "live";
  readonly before?: Partial<Behaviour>;
  readonly after: Partial<Behaviour>;
  /** Named rules of `compare`. */
  readonly rules?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  /** The cause that is to be found, `none` if there is to be none; undefined if it isn't looked at. */
  readonly cause?: "code" | "prompt" | "model" | "response" | "schema" | "environment" | "mixed" | "none";
}

/** What a step does that was not changed. */
export function unchanged({ id, text }: SignalDocument, found: Extraction): Behaviour {
  return {
    questions: [
      {
        model: "reader-1",
        temperature: 0,
        tools: ["lookup"],
        prompt: `Read the document and list what it says:\n${text}`,
      },
      { model: "reader-1", temperature: 0, tools: [], prompt: `Is this a receipt? ${text.slice(0, 80)}` },
    ],
    answer: found,
    stamp: { id: "resp-1", created: 1_700_000_000 },
    tool: { known: true },
    calls: [
      { tool: "find", request: { company: found.company, requestId: "r-1" } },
      { tool: "price", request: { total: found.total } },
      { tool: "post", request: { id, total: found.total } },
      { tool: "notify", request: { id, to: "desk" } },
    ],
    edit: {},
    output: null,
    events: [
      { type: "read", payload: { id, total: found.total, at: 1 } },
      { type: "checked", payload: { lines: found.rows.length } },
    ],
    commands: [
      { type: "emit", topic: "receipt.read", payload: { id, total: found.total } },
      { type: "emit", topic: "desk.told", payload: { id } },
      { type: "invoke", step: "file-receipt", input: { id, total: found.total } },
    ],
    schema: "any",
    input: "any",
    ends: null,
    today: null,
    order: false,
    ordered: false,
    more: {},
    failing: null,
    collects: null,
    twist: null,
  };
}
