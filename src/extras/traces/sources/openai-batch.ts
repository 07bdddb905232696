import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { requestFacts } from "../request-facts.ts";
import { modelAnswerOf, textField, turnsOf } from "../turns.ts";
import type { TraceSource } from "./source.ts";

/** Input and output files of OpenAI's Batch API: a directory with both is read as one, by the lines' `custom_id`. */
export const openaiBatchSource: TraceSource = {
  name: "openai-batch",
  title: "OpenAI's Batch API",
  signs: /"custom_id"/,
  envelope: true,
  observer: () => (record) => {
    const id = isPlainObject(record) ? textField(record, "custom_id") : undefined;
    if (id === undefined || !isPlainObject(record)) return [];
    const request = isPlainObject(record["body"]) ? record["body"] : undefined;
    const response = isPlainObject(record["response"]) ? record["response"] : {};
    const completion = isPlainObject(response["body"]) ? response["body"] : undefined;
    const failure = isPlainObject(record["error"]) ? record["error"] : completion?.["error"];
    const answer = completion === undefined ? undefined : modelAnswerOf(completion);
    return [
      {
        trace: id,
        id,
        parent: undefined,
        names: [textField(record, "url") ?? ""].filter((name) => name !== ""),
        start: 0,
        call: {
          kind: "model",
          provider: "openai",
          model: textField(completion ?? request ?? {}, "model"),
          turns: request === undefined ? [] : turnsOf(request),
          request: request && requestFacts(request),
          answer: answer && { ...answer, raw: completion },
          error: isPlainObject(failure) ? (textField(failure, "message") ?? "it failed") : undefined,
        },
      },
    ];
  },
  setting: "put the batch's input file and its output file into one directory, and import that",
};
