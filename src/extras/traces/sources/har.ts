import { isArray, isPlainObject } from "../../../kernel/json/plain-data.ts";
import { unpacked } from "../json-items.ts";
import type { Observation } from "../observation.ts";
import { requestFacts } from "../request-facts.ts";
import { knownShape } from "../response-shapes.ts";
import { traceTime } from "../spans.ts";
import { modelAnswerOf, textField, turnsOf } from "../turns.ts";
import type { TraceSource } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Requests to models in an HTTP archive (HAR), of a browser or a proxy. A file is one run. */
export const harSource: TraceSource = {
  name: "har",
  title: "HTTP archives (HAR)",
  signs: /^\s*\{\s*"log"\s*:\s*\{/,
  envelope: {},
  observe: (record, file) => {
    const log = isPlainObject(record) && isPlainObject(record["log"]) ? record["log"] : {};
    const { entries } = log;
    return isArray(entries) ? entries.filter(isPlainObject).flatMap((entry, at) => observationOf(entry, file, at)) : [];
  },
  setting:
    "export the archive with content, and with requests to a model's API (chat/completions, responses, messages)",
};

function observationOf(entry: Fields, file: string, at: number): readonly Observation[] {
  const { request, response } = entry;
  if (!isPlainObject(request) || !isPlainObject(response)) return [];
  const url = textField(request, "url") ?? "";
  const path = URL.canParse(url) ? new URL(url).pathname : "";
  const body = bodyOf(request["postData"]);
  if (knownShape(path) === undefined || !isPlainObject(body)) return [];
  const status = Number(response["status"] ?? 0);
  const completion = bodyOf(response["content"]);
  const failed = status >= 400 || status === 0;
  const answer = failed ? undefined : modelAnswerOf(completion);
  return [
    {
      trace: file,
      id: String(at),
      parent: undefined,
      names: [path],
      start: traceTime(entry["startedDateTime"]),
      call: {
        kind: "model",
        provider: undefined,
        model: textField(body, "model"),
        turns: turnsOf(body),
        request: requestFacts(body),
        answer: answer && { ...answer, raw: completion },
        error: failed ? `it failed with status ${status}` : undefined,
      },
    },
  ];
}

function bodyOf(content: unknown): unknown {
  if (!isPlainObject(content)) return undefined;
  const text = textField(content, "text") ?? "";
  return unpacked(content["encoding"] === "base64" ? Buffer.from(text, "base64").toString() : text);
}
