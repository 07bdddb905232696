import { recordIn, listIn } from "../../../kernel/json/read-data.ts";
import type { CallRole } from "../../../kernel/call-role.ts";
import { isArray, isPlainObject } from "../../../kernel/json/plain-data.ts";
import { type AdapterCall, isMethodCall, isStreamResponse } from "../../../record/adapter-call.ts";
import { type InjectedEnd, withInjectedEnd } from "../../../record/replay/injected-end.ts";
import { responseContent, isHttp, withResponse } from "./response-content.ts";
import {
  type ErrorOf,
  type Provider,
  type FaultCause,
  errorBody,
  fetchFailedError,
  terminatedError,
} from "./fault-errors.ts";
import { OUTPUT_FAULTS, type OutputFault, type OutputFaultName, applyOutputFault, textOf } from "./output-faults.ts";
import { serviceShape } from "./fault-shapes.ts";
import { isParsed, reparsedCall } from "./parsed-response.ts";
import { abortedHere } from "./virtual-time.ts";

/** A way in which a call goes wrong. */
export type FaultName =
  | "error-429"
  | "error-500"
  | "error-network"
  | "timeout"
  | "slow"
  | OutputFaultName
  | "duplicate"
  | "out-of-order"
  | "aborted"
  | "crash-after-effect";

/** A call that is to go wrong. */
export interface FaultyCall {
  readonly call: AdapterCall;
  /** Calls of its response, if it is a stream: `finalMessage()` fails with it. */
  readonly uses: readonly AdapterCall[];
  readonly role: CallRole;
  readonly provider: Provider;
  readonly errorOf: ErrorOf;
}

/** Milliseconds that a slow answer takes. */
const SLOW_MS = 90_000;

/** Faulty versions of a call and its uses, by fault, in this order; undefined if the fault doesn't apply. */
const FAULTS: Readonly<Record<FaultName, (faulty: FaultyCall) => readonly AdapterCall[] | undefined>> = {
  "error-429": (faulty) => failing(faulty, 429),
  "error-500": (faulty) => failing(faulty, 500),
  "error-network": (faulty) => failing(faulty, "network"),
  timeout: timedOut,
  slow: (faulty) => withDelay(faulty, { kind: "delayed", ms: SLOW_MS, ...givingUp(faulty) }),
  truncated: (faulty) => withOutputFault(faulty, OUTPUT_FAULTS.truncated),
  "malformed-cut": (faulty) => withOutputFault(faulty, OUTPUT_FAULTS["malformed-cut"]),
  "malformed-fenced": (faulty) => withOutputFault(faulty, OUTPUT_FAULTS["malformed-fenced"]),
  "malformed-prose": (faulty) => withOutputFault(faulty, OUTPUT_FAULTS["malformed-prose"]),
  "malformed-types": (faulty) => withOutputFault(faulty, OUTPUT_FAULTS["malformed-types"]),
  "malformed-extra": (faulty) => withOutputFault(faulty, OUTPUT_FAULTS["malformed-extra"]),
  "malformed-nulls": (faulty) => withOutputFault(faulty, OUTPUT_FAULTS["malformed-nulls"]),
  refused: (faulty) => withOutputFault(faulty, OUTPUT_FAULTS.refused),
  empty: (faulty) => withOutputFault(faulty, OUTPUT_FAULTS.empty),
  duplicate: (faulty) => reordered(faulty, (pieces) => pieces.map((piece) => [piece, piece])),
  "out-of-order": (faulty) => reordered(faulty, swapped),
  aborted: broken,
  "crash-after-effect": (faulty) => (faulty.role === "write" ? failing(faulty, "network") : undefined),
};

/** Every fault there is. */
export const FAULT_NAMES: readonly FaultName[] = Object.keys(FAULTS).filter(isFaultName);

/** Returns true for the name of a fault. */
export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(FAULTS, name);
}

/** Returns a call and its uses with a fault; undefined if the fault doesn't apply, or changes nothing. */
export function faultOf(name: FaultName, faulty: FaultyCall): readonly AdapterCall[] | undefined {
  // Properties read of a stream stay: the step had them before the fault.
  const uses = faulty.uses.filter(isMethodCall);
  const faultyCalls = FAULTS[name]({ ...faulty, uses });
  return faultyCalls && [...faultyCalls, ...faulty.uses.filter((use) => !isMethodCall(use))];
}

/** Returns the client of a call, as far as it or other recorded calls show it. */
export function providerOf({ adapter, request, response }: AdapterCall, calls: readonly AdapterCall[] = []): Provider {
  const [first] = listIn(request);
  const { path: requested } = recordIn(first);
  const path = typeof requested === "string" ? requested : "";
  const where = adapter === "fetch" ? path.replaceAll("/", ".") : adapter;
  if (/(?:^|\.)(?:completions|responses)(?:\.create|\.stream|\.parse)?$/.test(where)) return "openai";
  if (adapter === "fetch" ? path.endsWith("/v1/messages") : isMessagesCall(adapter, first)) return "anthropic";
  if (/(?:^model|\.model)\.(?:generate|stream)$|\.do(?:Generate|Stream)$/.test(where)) return "ai-sdk";
  // The description of a tool server is recorded with each run that uses it.
  const servers = calls.flatMap((recorded) => /^(tools\..*?)initialize$/.exec(recorded.adapter)?.[1] ?? []);
  if (servers.some((server) => adapter.startsWith(server))) return "mcp";
  if (!isPlainObject(response)) return "other";
  const { ok, value } = response;
  if (ok === true && isPlainObject(value) && "trace" in value) return "llm";
  return "stop_reason" in response ? "anthropic" : "other";
}

/** Clients of telephony and mail have `messages.create` too, but don't pass it a list of messages. */
function isMessagesCall(adapter: string, request: unknown): boolean {
  return /(?:^|\.)messages(?:\.create|\.stream)?$/.test(adapter) && isArray(recordIn(request)["messages"]);
}

/** Clients of models give up by themselves at last; others wait until somebody else does. */
const CLIENT_TIMEOUT_MS = 600_000;

function timedOut(faulty: FaultyCall): readonly AdapterCall[] | undefined {
  const { call, provider, errorOf } = faulty;
  if (provider === "llm")
    return [
      withInjectedEnd(withResponse(call, { ok: false, error: errorOf("timeout") }), {
        kind: "delayed",
        ms: CLIENT_TIMEOUT_MS,
      }),
    ];
  const givesUp = (provider === "openai" || provider === "anthropic") && !isHttp(call);
  const end: InjectedEnd = givesUp
    ? { kind: "throws", error: () => errorOf("timeout"), after: CLIENT_TIMEOUT_MS }
    : { kind: "never", ...givingUp(faulty) };
  return withDelay(faulty, end);
}

/**
 * Aborts by the caller's signal if there is one. The AI SDK doesn't give its telemetry, which replays models, a signal.
 */
function givingUp({ call: { adapter } }: FaultyCall): { readonly unless?: () => Promise<never> } {
  return /^model\.(?:generate|stream)$/.test(adapter) ? { unless: abortedHere } : {};
}

function withDelay({ call, uses }: FaultyCall, end: InjectedEnd): readonly AdapterCall[] | undefined {
  if (call.returns === "value") return undefined;
  // A request after the end of the stream gets its response at once.
  const isRead = isStreamResponse(call.response) && call.response.chunks.length > 0;
  return [
    withInjectedEnd(call, end),
    ...uses.map((use) => (isRead && end.kind === "delayed" ? use : withInjectedEnd(use, end))),
  ];
}

function failing({ call, uses, provider, errorOf }: FaultyCall, cause: FaultCause): readonly AdapterCall[] {
  if (isHttp(call)) {
    if (typeof cause !== "number") return [withInjectedEnd(call, { kind: "throws", error: fetchFailedError })];
    const headers = { "content-type": "application/json" };
    return [withResponse(call, { status: cause, headers, body: { json: errorBody(provider, cause) } })];
  }
  if (provider === "llm") return [withResponse(call, { ok: false, error: errorOf(cause) })];
  // A server of tools answers with what went wrong in a tool.
  if (provider === "mcp" && typeof cause === "number" && serviceShape([call.response]) !== undefined)
    return [withResponse(call, { content: [{ type: "text", text: messageIn(errorOf(cause)) }], isError: true })];
  return [call, ...uses].map((faulty) => withInjectedEnd(faulty, { kind: "throws", error: () => errorOf(cause) }));
}

function messageIn(error: unknown): string {
  return error instanceof Error ? error.message : "";
}

/**
 * Changes the text of a response, and data that isn't text too, if that makes sense: a record of a database has other
 * types.
 */
function withOutputFault(faulty: FaultyCall, fault: OutputFault): readonly AdapterCall[] | undefined {
  const { call, uses } = faulty;
  const all = [outputOf(call, faulty, fault), ...uses.map((use) => outputOf(use, faulty, fault))];
  return all.some((changed) => changed !== undefined)
    ? [call, ...uses].map((changedCall, at) => all[at] ?? changedCall)
    : undefined;
}

function outputOf(call: AdapterCall, faulty: FaultyCall, fault: OutputFault): AdapterCall | undefined {
  const carried = responseContent(call);
  if (carried === undefined) return undefined;
  if (call !== faulty.call && typeof carried.values[0] === "string") return spokenBy(call, faulty, fault);
  const changed = applyOutputFault(carried, fault);
  if (changed !== undefined)
    return isParsed(carried)
      ? reparsedCall(call, { carried, changed }, { outputFault: fault, ...faulty })
      : carried.with(changed);
  if (serviceShape(carried.values) !== undefined || carried.isStream) return undefined;
  const [value] = carried.values;
  if (fault.ends === "empty") return isArray(value) && value.length > 0 ? carried.with([[]]) : undefined;
  const isData = isPlainObject(value) || isArray(value);
  const isOwn = faulty.provider === "other" || faulty.provider === "mcp";
  return fault.data !== undefined && isData && isOwn ? carried.with([fault.data(value)]) : undefined;
}

/** Changes the response of a stream's helper that returns the text alone: `finalText()`, `finalContent()`. */
function spokenBy(use: AdapterCall, { provider, errorOf }: FaultyCall, fault: OutputFault): AdapterCall | undefined {
  if (provider === "anthropic" && (fault.ends === "refused" || fault.ends === "empty")) {
    const words = "stream ended without producing a content block with type=text";
    return withInjectedEnd(use, { kind: "throws", error: () => errorOf({ message: words }) });
  }
  if (fault.ends === "refused") return withResponse(use, null);
  const carried = responseContent(use);
  const changed = carried && applyOutputFault(carried, { text: fault.text });
  return changed && carried.with(changed);
}

/**
 * Changes the order of the pieces of a stream's text; if its shape is unknown, that of all chunks. `order` returns what
 * takes the place of each piece. Chunks between the pieces stay where they are.
 */
function reordered(
  faulty: FaultyCall,
  order: (pieces: readonly unknown[]) => readonly (readonly unknown[])[],
): readonly AdapterCall[] | undefined {
  const { call, uses } = faulty;
  const carried = responseContent(call);
  if (carried?.isStream !== true) return undefined;
  const { values } = carried;
  const shape = serviceShape(values);
  const { pieces } = shape === undefined ? { pieces: [] } : textOf(values, shape);
  const positions = shape === undefined ? [...values.keys()] : pieces.map(({ at }) => at);
  if (positions.length < 2) return undefined;
  const ordered = order(positions.map((at) => values[at]));
  const replaced = new Map(positions.map((at, index) => [at, ordered[index] ?? []]));
  const changed = carried.with(values.flatMap((value, at) => replaced.get(at) ?? [value]));
  if (shape?.gathers !== true) return [changed, ...uses];
  const text = order(pieces.map((piece) => piece.text))
    .flat()
    .join("");
  return [changed, ...uses.map((use) => outputOf(use, faulty, { text: () => text }) ?? use)];
}

function swapped(pieces: readonly unknown[]): readonly (readonly unknown[])[] {
  const middle = Math.floor(pieces.length / 2);
  return pieces
    .with(middle - 1, pieces[middle])
    .with(middle, pieces[middle - 1])
    .map((piece) => [piece]);
}

/** Ends a connection in the middle: clients that join the pieces throw their own error. */
function broken({ call, uses, provider, errorOf }: FaultyCall): readonly AdapterCall[] | undefined {
  const carried = responseContent(call);
  if (carried?.isStream !== true) return undefined;
  const { values } = carried;
  const gathers = !isHttp(call) && (call.returns === "stream" || provider === "ai-sdk");
  const error = gathers ? (): unknown => errorOf("broken") : terminatedError;
  const rest = carried.with(values.slice(0, Math.ceil(values.length / 2)), error);
  return [rest, ...uses.map((use) => withInjectedEnd(use, { kind: "throws", error }))];
}
