import { type AdapterCall, FETCH, isStreamResponse } from "../../record/adapter-call.ts";
import { isArray, isPlainObject, memberOf, parsedJson } from "../../kernel/json/plain-data.ts";
import { decode } from "../../record/encode/decode.ts";
import type { ServiceFailure } from "../cause/cause.ts";
import { failureOfStatus, failureOfText } from "./failure-of-error.ts";
import { failureOfThrown, isAborted } from "./failure-of-check.ts";

const UNAVAILABLE: ServiceFailure = { kind: "unavailable", status: undefined };

const ABORTED: ServiceFailure = { kind: "aborted", status: undefined };

/**
 * Returns the outage of a model because of which a request has no response, or not all of it. Undefined for a response,
 * and for a request that the model refused for its content.
 */
export function modelFailureOf(call: AdapterCall): ServiceFailure | undefined {
  const failure = failureOfCall(call);
  return failure?.kind === "refused" ? undefined : failure;
}

/** Returns the failure of a service because of which a request has no response, or not all of it. */
export function failureOfCall(call: AdapterCall): ServiceFailure | undefined {
  return Object.hasOwn(call, "error") ? failureOfError(call) : failureOfResponse(call);
}

/** The SDKs of OpenAI and Anthropic throw it at their own timeout. The class isn't recorded. */
const TIMED_OUT = "Request timed out.";

function failureOfError({ error, response, aborted }: AdapterCall): ServiceFailure | undefined {
  const thrown = decoded(error);
  const failure = failureOfThrown(thrown) ?? reportedFailure(thrown, true);
  if (failure !== undefined) return failure;
  // A step may abort a stream when it has what it needs.
  if (isStreamResponse(response) && response.chunks.length > 0) return undefined;
  if (memberOf(thrown, "message") === TIMED_OUT) return UNAVAILABLE;
  return aborted === true || isAborted(thrown) ? ABORTED : undefined;
}

function decoded(error: unknown): unknown {
  try {
    return decode(error);
  } catch {
    // A codec of the user's may throw for a field of it.
    return undefined;
  }
}

function failureOfResponse({ adapter, response }: AdapterCall): ServiceFailure | undefined {
  if (isStreamResponse(response)) return firstFailure(response.chunks);
  if (isPlainObject(response) && response["isError"] === true) return failureOfToolResult(response["content"]);
  // A field `status` of another adapter's response may be data.
  if (adapter !== FETCH || !isPlainObject(response)) return undefined;
  return failureOfStatus(response["status"]) ?? failureOfBody(response["body"]);
}

/** Returns the failure that the texts of a failed result of an MCP server report. */
function failureOfToolResult(content: unknown): ServiceFailure | undefined {
  const texts = isArray(content) ? content.map((part) => String(memberOf(part, "text"))) : [];
  return texts.map(failureOfText).find((failure) => failure !== undefined);
}

/** Returns the failure of a body that its server sent with status 200. */
function failureOfBody(body: unknown): ServiceFailure | undefined {
  if (!isPlainObject(body)) return undefined;
  const { text, json = parsedJson(String(text)), chunks, error, aborted } = body;
  if (!isArray(chunks)) return firstFailure(isArray(json) ? json : [json]);
  // As above, a step may abort what it has read a part of, but a timeout isn't its choice.
  if (error !== undefined && aborted !== true) return UNAVAILABLE;
  if (error !== undefined && chunks.length === 0) return ABORTED;
  return firstFailure(chunks.map(eventData)) ?? failureOfThrown(decoded(error));
}

/** Returns the JSON of a server-sent event; undefined for other chunks. */
function eventData(chunk: unknown): unknown {
  return parsedJson(String(chunk).replaceAll(/^(?!data:).*$|^data:/gm, ""));
}

function firstFailure(events: readonly unknown[]): ServiceFailure | undefined {
  return events.map((event) => reportedFailure(event)).find((failure) => failure !== undefined);
}

/** Types and codes of errors by which OpenAI and Anthropic report in a response with status 200 that they failed. */
const OUTAGES = /^(?:(?:overloaded|api|rate_limit|timeout|server)_error|rate_limit_exceeded|insufficient_quota)$/;

/**
 * Returns the failure that an event or an error of a client reports: OpenAI's `{ error: { type } }`, and `{ code }` or
 * `{ response: { error: { code } } }` of its Responses API, Anthropic's `{ error: { type } }`, Gemini's
 * `{ error: { code: 503 } }`, OpenRouter's `{ choices: [{ error }] }`, and a status code in events of the AI SDK. Other
 * events may be data with such fields.
 */
function reportedFailure(event: unknown, isThrown = false): ServiceFailure | undefined {
  const error = memberOf(event, "error");
  const choices = memberOf(event, "choices");
  const holders = [memberOf(event, "response"), isArray(choices) ? choices[0] : undefined];
  const own = isThrown || memberOf(event, "type") === "error" ? [event] : [];
  for (const each of [...own, error, memberOf(error, "error"), ...holders.map((holder) => memberOf(holder, "error"))]) {
    const names = ["code", "statusCode", "type"].map((name) => memberOf(each, name));
    if (names.some((name) => OUTAGES.test(String(name)))) return UNAVAILABLE;
    const failure = names.map(failureOfStatus).find((status) => status !== undefined);
    if (failure !== undefined) return failure;
  }
  return undefined;
}
