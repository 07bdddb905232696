import { messageOf } from "../base/thrown.ts";
import { fieldAt, textAt } from "./read-body.ts";

/** What the clients' errors have in common, read without knowing their classes. */
export interface ThrownFacts {
  readonly status: number | undefined;
  /** The provider's and the system's codes, the most telling first. */
  readonly codes: readonly string[];
  /** The error's names and those of its causes. */
  readonly names: readonly string[];
  /** The provider's words where there are some, else the client's. */
  readonly detail: string;
  readonly requestId: string;
  readonly headers: unknown;
}

const MAX_CAUSES = 5;

// Where openai, @anthropic-ai/sdk and the AI SDK keep the code and the words of an answer that is an error.
const CODE_PATHS = [
  ["code"],
  ["error", "code"],
  ["data", "error", "code"],
  ["error", "error", "type"],
  ["data", "error", "type"],
  ["error", "type"],
  ["type"],
] as const;
const WORD_PATHS = [
  ["error", "error", "message"],
  ["error", "message"],
  ["data", "error", "message"],
] as const;

/** Reads an error of any client; anything at all may be given. */
export function thrownFacts(thrown: unknown): ThrownFacts {
  const causes = causesOf(thrown);
  const headers = fieldAt(thrown, "headers") ?? fieldAt(thrown, "responseHeaders");
  const words = WORD_PATHS.map((path) => textAt(thrown, ...path)).find((text) => text !== "");
  const requestId = textAt(thrown, "requestID") || headerOf(headers, "x-request-id") || headerOf(headers, "request-id");
  return {
    status: statusOf(thrown),
    codes: [
      ...new Set([
        ...CODE_PATHS.map((path) => textAt(thrown, ...path)),
        ...causes.map((cause) => textAt(cause, "code")),
      ]),
    ].filter(
      // "error" is what Anthropic calls every body that is one.
      (code) => code !== "" && code !== "error",
    ),
    names: causes.flatMap(namesOf),
    detail: words ?? messageOf(thrown),
    requestId,
    headers,
  };
}

/** How long a provider asks to wait, in milliseconds; undefined when it does not say. */
export function retryAfterMs({ headers }: Pick<ThrownFacts, "headers">): number | undefined {
  const precise = Number.parseFloat(headerOf(headers, "retry-after-ms"));
  const wait = Number.isNaN(precise) ? Number.parseFloat(headerOf(headers, "retry-after")) * 1000 : precise;
  return Number.isFinite(wait) && wait >= 0 ? wait : undefined;
}

/** A header's value, of a Headers object or a plain record; empty when there is none. */
export function headerOf(headers: unknown, name: string): string {
  if (typeof headers !== "object" || headers === null) return "";
  const get: unknown = Reflect.get(headers, "get");
  const value: unknown = typeof get === "function" ? Reflect.apply(get, headers, [name]) : fieldAt(headers, name);
  return typeof value === "string" ? value : "";
}

function statusOf(thrown: unknown): number | undefined {
  const status = fieldAt(thrown, "status") ?? fieldAt(thrown, "statusCode");
  return typeof status === "number" ? status : undefined;
}

function causesOf(thrown: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let next = thrown; next !== undefined && causes.length < MAX_CAUSES; next = fieldAt(next, "cause"))
    causes.push(next);
  return causes;
}

function namesOf(thrown: unknown): string[] {
  if (typeof thrown !== "object" || thrown === null) return [];
  const name: unknown = Reflect.get(thrown, "name");
  // openai's errors are all named "Error"; only their classes tell them apart.
  return [name, thrown.constructor?.name].filter((found) => typeof found === "string");
}
