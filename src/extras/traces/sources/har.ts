import { parseUrl } from "../../../kernel/parse-url.ts";
import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { recordIn, recordsIn } from "../../../kernel/json/read-data.ts";
import { unpacked } from "../json-items.ts";
import { FETCH } from "../../../record/adapter-call.ts";
import type { Observation, SeenAdapter } from "../observation.ts";
import { requestFacts } from "../request-facts.ts";
import { knownShape } from "../response-shapes.ts";
import { traceTime } from "../spans.ts";
import { modelAnswerOf, textField, turnsOf } from "../turns.ts";
import type { TraceSource } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Requests in an HTTP archive (HAR), of a browser or a proxy: those to models, and all others as calls of `fetch`. A
 * file is one run.
 */
export const harSource: TraceSource = {
  name: "har",
  title: "HTTP archives (HAR)",
  signs: /^\s*\{\s*"log"\s*:\s*\{/,
  envelope: {},
  observer: (file) => (record) => {
    const { entries } = recordIn(recordIn(record)["log"]);
    return recordsIn(entries).flatMap((entry, at) => observationOf(entry, file, at));
  },
  setting:
    "export the archive with content, and with requests to a model's API (chat/completions, responses, messages)",
};

function observationOf(entry: Fields, file: string, at: number): readonly Observation[] {
  const { request, response } = entry;
  if (!isPlainObject(request) || !isPlainObject(response)) return [];
  const url = textField(request, "url") ?? "";
  const path = parseUrl(url)?.pathname ?? "";
  const body = unpacked(textOf(request["postData"]) ?? "");
  const status = Number(response["status"] ?? 0);
  const common = { trace: file, id: String(at), start: traceTime(entry["startedDateTime"]) };
  const isModel = knownShape(path) !== undefined && isPlainObject(body);
  const text = textOf(response["content"]);
  if (!isModel || isEvents(response["content"]))
    return status < 200 || text === undefined
      ? []
      : [
          {
            ...common,
            names: [],
            call: fetchOf([request["method"], url, body], { status, text, headers: typeOf(response) }),
          },
        ];
  const completion = unpacked(text);
  const failed = status >= 400 || status === 0;
  const answer = failed ? undefined : modelAnswerOf(completion);
  const model = textField(body, "model") ?? modelOf(path);
  return [
    {
      ...common,
      names: [path],
      call: {
        kind: "model",
        model,
        turns: turnsOf(body),
        request: requestFacts({ model, ...body }),
        answer: answer && { ...answer, raw: completion },
        error: failed ? `it failed with status ${status}` : undefined,
      },
    },
  ];
}

/** Model that a path names, as `/v1beta/models/<model>:generateContent` does. */
function modelOf(path: string): string | undefined {
  return /\/models\/([^/:]+):/.exec(path)?.[1];
}

function fetchOf(request: readonly unknown[], value: object): SeenAdapter {
  return { kind: "adapter", adapter: FETCH, request, response: { value }, isOptional: true };
}

/** True for a response that is a stream of events: its text is what `fetch` received, not a completion. */
function isEvents(content: unknown): boolean {
  return textField(content, "mimeType")?.startsWith("text/event-stream") === true;
}

function typeOf({ content }: Fields): Readonly<Record<string, string>> {
  const type = textField(content, "mimeType");
  return type === undefined ? {} : { "content-type": type };
}

function textOf(content: unknown): string | undefined {
  const text = textField(content, "text");
  const isBase64 = textField(content, "encoding") === "base64";
  return text !== undefined && isBase64 ? Buffer.from(text, "base64").toString() : text;
}
