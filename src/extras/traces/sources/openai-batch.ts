import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { recordIn } from "../../../kernel/json/read-data.ts";
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
    const id = textField(record, "custom_id");
    if (id === undefined) return [];
    const { body, response, error } = recordIn(record);
    const request = isPlainObject(body) ? body : undefined;
    const { body: completion } = recordIn(response);
    const failure = isPlainObject(error) ? error : recordIn(completion)["error"];
    const answer = isPlainObject(completion) ? modelAnswerOf(completion) : undefined;
    return [
      {
        trace: id,
        id,
        names: [textField(record, "url") ?? ""].filter((name) => name !== ""),
        start: 0,
        call: {
          kind: "model",
          provider: "openai",
          model: textField(isPlainObject(completion) ? completion : request, "model"),
          turns: turnsOf(request),
          request: request && requestFacts(request),
          answer: answer && { ...answer, raw: completion },
          error: isPlainObject(failure) ? (textField(failure, "message") ?? "it failed") : undefined,
        },
      },
    ];
  },
  setting: "put the batch's input file and its output file into one directory, and import that",
};
