import { isArray, isObject, isPlainObject } from "../../../kernel/json/plain-data.ts";
import { recordIn, recordsIn } from "../../../kernel/json/read-data.ts";
import { unpacked } from "../json-items.ts";
import type { ModelAnswer, Observation, SeenCall } from "../observation.ts";
import { requestFacts } from "../request-facts.ts";
import { traceTime } from "../spans.ts";
import { countedUsage, filledText, modelAnswerOf, namesOf, textField, turnsOf } from "../turns.ts";
import type { TraceSource } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Observations and traces of Langfuse, as its API (`/api/public/observations`, `/api/public/traces/{id}` with the
 * observations in it), its exports to blob storage and its user interface write them: lines, a list, or pages under
 * `data`.
 */
export const langfuseSource: TraceSource = {
  name: "langfuse",
  title: "Langfuse",
  signs: /"observations"\s*:|"parentObservationId"|"traceId"[^]*"(?:GENERATION|SPAN)"/,
  envelope: { data: true },
  observer: () => observationsIn,
  setting:
    "let the SDK record inputs and outputs (LANGFUSE_OBSERVE_DECORATOR_IO_CAPTURE_ENABLED=true, without a " +
    "mask), and include the field group io in the export",
};

function observationsIn(record: unknown): readonly Observation[] {
  if (!isPlainObject(record)) return [];
  const { observations, trace: whole } = record;
  // A download of the user interface has the trace and its observations next to each other.
  if (isPlainObject(whole) && isArray(observations)) return observationsIn({ ...whole, observations });
  const trace = filledText(record, "traceId", "trace_id");
  if (trace !== undefined) return observationsOf(record, trace, undefined);
  const id = textField(record, "id");
  return id === undefined ? [] : ofTrace(record, id, recordsIn(observations));
}

/** A trace is the parent of its observations. */
function ofTrace(trace: Fields, id: string, observations: readonly Fields[]): readonly Observation[] {
  const rootId = `trace ${id}`;
  const whole = {
    trace: id,
    id: rootId,
    names: namesOf(trace),
    step: stepIn(trace),
    start: traceTime(trace["timestamp"]),
    input: presentValue(trace["input"]),
    output: presentValue(trace["output"]),
  };
  return [whole, ...observations.flatMap((observation) => observationsOf(observation, id, rootId))];
}

function observationsOf(record: Fields, trace: string, above: string | undefined): readonly Observation[] {
  const id = textField(record, "id");
  if (id === undefined) return [];
  return [
    {
      trace,
      id,
      parent: filledText(record, "parentObservationId", "parent_observation_id") ?? above,
      names: namesOf(record),
      step: stepIn(record),
      start: traceTime(record["startTime"] ?? record["start_time"]),
      input: presentValue(record["input"]),
      output: presentValue(record["output"]),
      call: callOf(record),
    },
  ];
}

function callOf(record: Fields): SeenCall | undefined {
  const { input, output } = record;
  const error =
    record["level"] === "ERROR" ? (filledText(record, "statusMessage", "status_message") ?? "it failed") : undefined;
  switch ((textField(record, "type") ?? "").toUpperCase()) {
    case "GENERATION": {
      const answer = error === undefined ? modelAnswerOf(presentValue(output)) : undefined;
      const model = filledText(record, "model", "providedModelName", "provided_model_name");
      return {
        kind: "model",
        model,
        turns: turnsOf(presentValue(input)),
        request: requestFacts({
          ...recordIn(unpacked(presentValue(input))),
          ...recordIn(unpacked(record["modelParameters"] ?? record["model_parameters"])),
        }),
        answer: answer && { ...answer, usage: usageOf(record) ?? answer.usage },
        error,
      };
    }
    case "TOOL": {
      const value = presentValue(output);
      return {
        kind: "tool",
        name: textField(record, "name") ?? "",
        callId: filledText(record["metadata"], "tool_call_id", "toolCallId"),
        args: unpacked(presentValue(input)),
        ...(value !== undefined && error === undefined && { result: { value: unpacked(value) } }),
        error,
      };
    }
    default:
      return undefined;
  }
}

function usageOf({ usageDetails, usage_details: details }: Fields): ModelAnswer["usage"] {
  const { input, output } = recordIn(unpacked(usageDetails ?? details));
  return countedUsage(input, output);
}

/** Returns the step that the metadata names. */
function stepIn({ metadata }: Fields): string | undefined {
  return filledText(unpacked(metadata), "veritest.step.name", "veritest_step");
}

/** Reads a value: null if it's missing; data may be encoded as JSON twice. */
function presentValue(value: unknown): unknown {
  const once = unpacked(value);
  const twice = typeof once === "string" ? unpacked(once) : once;
  if (isObject(twice)) return twice;
  return value === null ? undefined : value;
}
