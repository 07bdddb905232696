import type { EventSourceMessage } from "eventsource-parser";
import { eventsIn } from "../../../kernel/event-stream.ts";
import { isArray, isPlainObject, parsedJson } from "../../../kernel/json/plain-data.ts";
import { type AdapterCall, isStreamResponse } from "../../../record/adapter-call.ts";
import { decode } from "../../../record/encode/decode.ts";
import { encode } from "../../../record/encode/encode.ts";
import { withInjectedEnd } from "../../../record/replay/injected-end.ts";
import type { ModelOutput } from "./output-faults.ts";

/** Values of a call's response, without their transport: a promise, a stream, or HTTP. */
export interface ResponseContent extends ModelOutput {
  /** Returns the call with other values; with an error, the stream breaks off after them. */
  readonly with: (values: readonly unknown[], brokenBy?: () => unknown) => AdapterCall;
}

/** Returns the content of a call's response; undefined if there is none, or its form is unknown. */
export function responseContent(call: AdapterCall): ResponseContent | undefined {
  const { response } = call;
  if (isStreamResponse(response)) return carriedByStream(call, response);
  if (Object.hasOwn(call, "error")) return undefined;
  const answer = decode(response);
  if (!isHttp(call) || !isPlainObject(answer))
    return { values: [answer], isStream: false, with: ([value]) => withResponse(call, value) };
  const { body } = answer;
  if (!isPlainObject(body)) return undefined;
  const withBody = (other: object): AdapterCall => withResponse(call, { ...answer, body: other });
  const { text } = body;
  const data = typeof text === "string" ? parsedJson(text) : body["json"];
  if (data !== undefined) return { values: [data], isStream: false, with: ([json]) => withBody({ json }) };
  return isArray(body["chunks"]) ? carriedByEvents(body["chunks"], withBody) : undefined;
}

/** Returns true if a call is a request of the `fetch` recorder. */
export function isHttp({ adapter, response }: AdapterCall): boolean {
  return (
    adapter === "fetch" && isPlainObject(response) && typeof response["status"] === "number" && "headers" in response
  );
}

/** The call with another answer. */
export function withResponse({ error: _error, ...call }: AdapterCall, answer: unknown): AdapterCall {
  return { ...call, response: encode(answer, { opaque: "omit" }) };
}

function carriedByStream(call: AdapterCall, response: { readonly chunks: readonly unknown[] }): ResponseContent {
  return {
    values: response.chunks.map((chunk) => decode(chunk)),
    isStream: true,
    with: (values, brokenBy) => {
      const other = {
        ...call,
        response: { ...response, chunks: values.map((value) => encode(value, { opaque: "omit" })) },
      };
      return brokenBy === undefined ? other : withInjectedEnd(other, { kind: "breaks", error: brokenBy });
    },
  };
}

/** Event without data of a service, as `[DONE]`. */
class OtherEvent {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The events of a recorded body. */
function carriedByEvents(
  chunks: readonly unknown[],
  withBody: (body: object) => AdapterCall,
): ResponseContent | undefined {
  const texts = chunks.filter((chunk) => typeof chunk === "string");
  if (texts.length < chunks.length) return undefined;
  const whole = texts.join("");
  const events = eventsIn(whole);
  const isNamed = events.some(({ event }) => event !== undefined);
  const textOf = (value: unknown): string => {
    if (value instanceof OtherEvent) return value.text;
    const type = isNamed && isPlainObject(value) ? value["type"] : undefined;
    return `${typeof type === "string" ? `event: ${type}\n` : ""}data: ${JSON.stringify(value)}\n\n`;
  };
  return {
    // A stream of JSON lines has no events.
    values: events.length === 0 ? [new OtherEvent(whole)] : events.map(valueOf),
    isStream: true,
    with: (values, brokenBy) =>
      withBody({ chunks: values.map(textOf), ...(brokenBy !== undefined && { error: brokenBy() }) }),
  };
}

function valueOf({ event, data }: EventSourceMessage): unknown {
  const value = parsedJson(data);
  if (isPlainObject(value)) return value;
  const lines = data.split("\n").map((line) => `data: ${line}\n`);
  return new OtherEvent(`${event === undefined ? "" : `event: ${event}\n`}${lines.join("")}\n`);
}
