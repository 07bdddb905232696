import { isArray, isPlainObject } from "../../../kernel/json/plain-data.ts";
import type { Observation } from "../observation.ts";
import { requestFacts } from "../request-facts.ts";
import { traceTime } from "../spans.ts";
import { filledText, modelAnswerOf, textField, turnsOf } from "../turns.ts";
import type { TraceSource } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Metadata keys that identify the completions of one run, most specific first. */
const RUN_KEYS = ["trace_id", "traceId", "run_id", "runId", "conversation_id", "session_id"];
const STEP_KEYS = ["veritest.step.name", "veritest_step", "step"];

/**
 * Stored completions of OpenAI: `GET /v1/chat/completions` (a list under `data`) with each completion's messages
 * (`GET /v1/chat/completions/{id}/messages`) as its `messages`, or stored responses with their `input`. Completions
 * belong to one run if their metadata has the same id; otherwise each is a run.
 */
export const openaiSource: TraceSource = {
  name: "openai",
  title: "OpenAI",
  signs: /"object"\s*:\s*"(?:chat\.completion|response)"/,
  envelope: { data: true },
  observer: () => (record) => {
    if (!isPlainObject(record)) return [];
    const completion = isPlainObject(record["completion"])
      ? { ...record["completion"], messages: record["messages"] }
      : record;
    const id = textField(completion, "id");
    const isAnswer = isArray(completion["choices"]) || isArray(completion["output"]);
    return id === undefined || !isAnswer ? [] : [observationIn(completion, id)];
  },
  setting:
    "send requests with store: true, set the same metadata.trace_id in all requests of a run, and export each " +
    "completion with its messages (GET /v1/chat/completions/{id}/messages)",
};

function observationIn(completion: Fields, id: string): Observation {
  const { metadata: facts } = completion;
  const answer = modelAnswerOf(completion);
  const { messages, input } = completion;
  const messagesOfRequest = isPlainObject(messages) ? messages["data"] : (messages ?? input);
  const instructions = textField(completion, "instructions");
  const system = instructions === undefined ? [] : turnsOf([{ role: "system", content: instructions }]);
  return {
    // An empty id is ignored: otherwise all completions without one would be one run.
    trace: filledText(facts, ...RUN_KEYS) ?? id,
    id,
    names: [...["name", "agent"].flatMap((name) => textField(facts, name) ?? []), textField(completion, "model") ?? ""],
    step: filledText(facts, ...STEP_KEYS),
    start: traceTime(completion["created"] ?? completion["created_at"]),
    call: {
      kind: "model",
      provider: "openai",
      model: textField(completion, "model"),
      turns: [...system, ...turnsOf(messagesOfRequest)],
      // A completion names the dated version of the requested model.
      request: requestFacts({ ...completion, model: undefined }),
      answer: answer && { ...answer, id, raw: rawAnswer(completion) },
    },
  };
}

/** Returns the API's response, without the request and the fields that the store added. */
function rawAnswer(completion: Fields): Fields {
  const added = new Set(["messages", "metadata", "request_id", "tools", "tool_choice", "instructions", "input_user"]);
  const isResponse = completion["object"] === "response";
  return Object.fromEntries(Object.entries(completion).filter(([name]) => isResponse || !added.has(name)));
}
