import { isArray, isPlainObject } from "../../../kernel/json/plain-data.ts";
import type { Observation } from "../observation.ts";
import { requestFacts } from "../request-facts.ts";
import { traceTime } from "../spans.ts";
import { modelAnswerOf, textField, turnsOf } from "../turns.ts";
import type { TraceSource } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Runs of OpenAI's evals: output items of the API, and the lines of logs with `sampling` events. A line of a data set
 * has an input and an ideal output, and no response of a model.
 */
export const openaiEvalsSource: TraceSource = {
  name: "openai-evals",
  title: "OpenAI's evals",
  signs: /"eval\.run\.output_item"|"type"\s*:\s*"sampling"|"ideal"\s*:/,
  envelope: { data: true },
  observer: () => (record) => {
    if (!isPlainObject(record)) return [];
    const { sample, data } = record;
    if (record["object"] === "eval.run.output_item" && isPlainObject(sample))
      return [sampled(record, { id: textField(record, "id") ?? "", request: sample, response: sample["output"] })];
    if (record["type"] === "sampling" && isPlainObject(data)) {
      const id = `${textField(record, "run_id") ?? "run"} ${textField(record, "sample_id") ?? ""}`;
      const [first] = isArray(data["sampled"]) ? data["sampled"] : [data["sampled"]];
      const response = first === undefined ? [] : [{ role: "assistant", content: first }];
      return [sampled(record, { id, request: { ...data, input: data["prompt"] }, response })];
    }
    const item = isPlainObject(record["item"]) ? record["item"] : record;
    const ideal = isArray(item["ideal"]) ? item["ideal"][0] : item["ideal"];
    const question = turnsOf(item["input"]).findLast(({ role }) => role === "user");
    if (ideal === undefined || question === undefined) return [];
    const id = textField(item, "id") ?? question.text;
    return [{ trace: id, id, names: ["eval"], start: 0, input: question.text, output: ideal }];
  },
  setting:
    "export the output items of a run (GET /v1/evals/{id}/runs/{id}/output_items), or the log of oaieval " +
    "(--record_path), not the data set",
};

function sampled(
  record: Fields,
  { id, request, response }: { readonly id: string; readonly request: Fields; readonly response: unknown },
): Observation {
  const { error, finish_reason: finish, usage } = request;
  const message = isArray(response) ? response.findLast(isPlainObject) : undefined;
  const answer = modelAnswerOf(
    message === undefined ? undefined : { choices: [{ message, finish_reason: finish }], usage },
  );
  return {
    trace: id,
    id,
    names: ["eval"],
    start: traceTime(record["created_at"]),
    call: {
      kind: "model",
      provider: "openai",
      model: textField(request, "model"),
      turns: turnsOf(request["input"]),
      request: requestFacts({ ...request, model: undefined }),
      answer,
      error: textField(error, "message"),
    },
  };
}
