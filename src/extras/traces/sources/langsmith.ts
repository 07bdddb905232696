import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { listIn, recordIn } from "../../../kernel/json/read-data.ts";
import { unpacked } from "../json-items.ts";
import type { Observation, SeenCall } from "../observation.ts";
import { requestFacts } from "../request-facts.ts";
import { traceTime } from "../spans.ts";
import { filledText, modelAnswerOf, namesOf, textField, turnsOf } from "../turns.ts";
import type { TraceSource } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Runs of LangSmith in its run data format, as `POST /runs/query` returns them (under `runs`), as its SDK lists them,
 * or in lines; also with child runs in `child_runs`.
 */
export const langsmithSource: TraceSource = {
  name: "langsmith",
  title: "LangSmith",
  signs: /"run_type"/,
  envelope: { runs: true },
  observer: () => observationsIn,
  setting: "unset LANGSMITH_HIDE_INPUTS and LANGSMITH_HIDE_OUTPUTS, and export the fields inputs and outputs",
};

function observationsIn(record: unknown, above?: { trace: string; id: string }): readonly Observation[] {
  if (!isPlainObject(record)) return [];
  const id = textField(record, "id");
  if (id === undefined) return [];
  const { child_runs: below } = record;
  const trace = textField(record, "trace_id") ?? firstOfOrder(record) ?? above?.trace ?? id;
  const inputs = fieldsOf(record["inputs"]);
  const outputs = fieldsOf(record["outputs"]);
  return [
    {
      trace,
      id,
      parent: textField(record, "parent_run_id") ?? above?.id,
      names: namesOf(record),
      step: stepIn(record),
      start: traceTime(record["start_time"]),
      input: inputs,
      output: outputs,
      call: callOf(record, inputs, outputs),
    },
    ...listIn(below).flatMap((child) => observationsIn(child, { trace, id })),
  ];
}

/** The trace is the first run of the dotted order. */
function firstOfOrder({ dotted_order: order }: Fields): string | undefined {
  return typeof order === "string" ? /^[^.]*?Z([0-9a-f-]{36})/.exec(order)?.[1] : undefined;
}

function callOf(record: Fields, inputs: Fields | undefined, outputs: Fields | undefined): SeenCall | undefined {
  const error = filledText(record, "error");
  switch (record["run_type"]) {
    case "llm": {
      const facts = factsOf(record);
      const answer = error === undefined && outputs !== undefined ? modelAnswerOf(outputs) : undefined;
      return {
        kind: "model",
        provider: textField(facts, "ls_provider"),
        model: textField(facts, "ls_model_name"),
        turns: turnsOf(inputs),
        // Parameters that LangChain sent with the messages.
        request: requestFacts(recordIn(unpacked(recordIn(record["extra"])["invocation_params"]))),
        answer,
        error,
      };
    }
    case "tool": {
      const isWritten = outputs !== undefined && error === undefined;
      return {
        kind: "tool",
        name: textField(record, "name") ?? "",
        callId: callIdIn(outputs) ?? textField(factsOf(record), "tool_call_id"),
        args: argsOf(inputs),
        ...(isWritten && { result: { value: resultOf(outputs) } }),
        error,
      };
    }
    default:
      return undefined;
  }
}

/** Reads a tool's arguments, which LangChain writes as a text of JSON or of Python's notation. */
function argsOf(inputs: Fields | undefined): unknown {
  const only = inputs !== undefined && Object.keys(inputs).length === 1 ? inputs["input"] : undefined;
  return only === undefined ? inputs : unpacked(only);
}

/** Reads a tool's result from the field `output`, and from LangChain's message. */
function resultOf(outputs: Fields): unknown {
  const value = Object.keys(outputs).length === 1 && "output" in outputs ? unpacked(outputs["output"]) : outputs;
  const content =
    isPlainObject(value) && (value["type"] === "tool" || isPlainObject(value["kwargs"]))
      ? (fieldsOf(value["kwargs"]) ?? value)["content"]
      : undefined;
  return content === undefined ? value : unpacked(content);
}

function callIdIn(outputs: Fields | undefined): string | undefined {
  const value = outputs === undefined ? undefined : unpacked(outputs["output"]);
  return isPlainObject(value) ? textField(fieldsOf(value["kwargs"]) ?? value, "tool_call_id") : undefined;
}

function factsOf({ extra }: Fields): Fields {
  return recordIn(recordIn(unpacked(extra))["metadata"]);
}

function stepIn(record: Fields): string | undefined {
  return textField(factsOf(record), "veritest.step.name", "veritest_step");
}

function fieldsOf(value: unknown): Fields | undefined {
  const data = unpacked(value);
  return isPlainObject(data) && Object.keys(data).length > 0 ? data : undefined;
}
