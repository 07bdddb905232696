import { isArray, isPlainObject } from "../../../kernel/json/plain-data.ts";
import { recordsIn } from "../../../kernel/json/read-data.ts";
import type { Observation, Turn } from "../observation.ts";
import { traceTime } from "../spans.ts";
import { modelAnswerOf, textField, turnsOf, textOfTurns } from "../turns.ts";
import type { TraceSource } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Sessions of Google's Agent Development Kit and of Vertex AI Agent Engine, with their events: the trajectory of an
 * agent, its responses and tool calls. Each invocation is a run.
 */
export const adkSource: TraceSource = {
  name: "adk",
  title: "the Agent Development Kit",
  // A list of sessions has them without their events.
  signs: /"(?:invocationId|invocation_id)"|"(?:appName|app_name)"[^]*"events"\s*:\s*\[\s*\]/,
  envelope: {},
  observer: () => {
    let conversation: Conversation = { session: undefined, turns: [] };
    return (record) => {
      if (!isPlainObject(record)) return [];
      const { events, sessionEvents } = record;
      if (isArray(events)) conversation = { session: undefined, turns: [] };
      const all = [events, sessionEvents].find(isArray) ?? [record];
      return recordsIn(all).flatMap((event) => {
        const session = sessionOf(event);
        if (session !== conversation.session) conversation = { session, turns: [] };
        return observe(event, conversation.turns);
      });
    };
  },
  setting: "import the session with its events, as the session service returns it",
};

/** Conversation of the current session: a response's request is what precedes it, with earlier invocations. */
interface Conversation {
  readonly session: string | undefined;
  readonly turns: Turn[];
}

/** Name of an event's session on Vertex AI, where pages of one session can follow those of another. */
function sessionOf(event: Fields): string | undefined {
  return textField(event, "name")?.replace(/\/events\/.*/, "");
}

function observe(event: Fields, conversation: Turn[]): readonly Observation[] {
  if (!isPlainObject(event["content"])) return [];
  const trace = textField(event, "invocationId", "invocation_id");
  const id = textField(event, "id", "name");
  // A stream's chunks are events, too; the last event has the complete text.
  if (trace === undefined || id === undefined || event["partial"] === true) return [];
  const start = traceTime(event["timestamp"]);
  const root = { trace, id: `invocation ${trace}`, names: ["adk"], start };
  return observationsOf({ event, id, content: event["content"] }, root, conversation);
}

function observationsOf(
  { event, id, content }: { readonly event: Fields; readonly id: string; readonly content: Fields },
  root: Observation,
  conversation: Turn[],
): readonly Observation[] {
  const turns = turnsOf([content]);
  const before = [...conversation];
  conversation.push(...turns);
  const below = { ...root, parent: root.id, names: [] };
  const results = turns.flatMap((turn) => turn.results);
  if (results.length > 0)
    return results.map(({ id: callId, value }, index) => {
      const name = toolNames(content)[index] ?? "";
      const call = { kind: "tool", name, callId, result: { value } } as const;
      return { ...below, id: `${id} ${index}`, call };
    });
  const text = textOfTurns(turns);
  if (event["author"] === "user") return text === "" ? [] : [{ ...root, input: text }];
  const answer = modelAnswerOf(event);
  if (answer === undefined) return [];
  const model = textField(event, "modelVersion", "model_version");
  const request = { provider: "google", model, turns: before, lacksInstructions: true };
  return [{ ...below, id, call: { kind: "model", ...request, answer } }];
}

function toolNames({ parts }: Fields): readonly string[] {
  return recordsIn(parts).flatMap((part) => {
    const response = part["functionResponse"] ?? part["function_response"];
    return isPlainObject(response) ? [textField(response, "name") ?? ""] : [];
  });
}
