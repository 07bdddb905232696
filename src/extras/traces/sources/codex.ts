import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { recordIn } from "../../../kernel/json/read-data.ts";
import { unpacked } from "../json-items.ts";
import type { Observation } from "../observation.ts";
import { traceTime } from "../spans.ts";
import { modelAnswerOf, textField, turnsOf, textOfTurns } from "../turns.ts";
import type { TraceSource } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Position in a session: its lines name neither their response nor their model. */
interface Session {
  model: string | undefined;
  /** Number of the response that the next items belong to. */
  response: number;
}

/** Sessions of Codex, an item in each line: the trajectory of an agent, its responses and tool calls. */
export const codexSource: TraceSource = {
  name: "codex",
  title: "Codex",
  signs: /"type"\s*:\s*"(?:session_meta|response_item|turn_context)"/,
  envelope: true,
  observer: (file) => {
    const session: Session = { model: undefined, response: 0 };
    return (record) => {
      if (!isPlainObject(record)) return [];
      const payload = recordIn(record["payload"]);
      if (record["type"] === "turn_context") session.model = textField(payload, "model") ?? session.model;
      return record["type"] === "response_item"
        ? itemOf(payload, session, { trace: file, start: traceTime(record["timestamp"]) })
        : [];
    };
  },
  setting: "import the session's file (~/.codex/sessions/<date>/rollout-<time>-<id>.jsonl) as it was written",
};

function itemOf(
  item: Fields,
  session: Session,
  { trace, start }: Pick<Observation, "trace" | "start">,
): readonly Observation[] {
  const root = { trace, id: "session", names: ["codex"], start };
  const below = { trace, parent: root.id, names: [], start };
  const type = textField(item, "type") ?? "";
  if (type === "message" && item["role"] === "user") {
    session.response += 1;
    const text = textOfTurns(turnsOf([item]));
    // Codex adds messages in tags: the environment, the user's instructions.
    return text === "" || text.startsWith("<") ? [] : [{ ...root, input: text }];
  }
  const callId = textField(item, "call_id");
  if (type.endsWith("_call_output") && callId !== undefined) {
    session.response += 1;
    const output = unpacked(item["output"]);
    const result = { value: isPlainObject(output) && "output" in output ? output["output"] : output };
    const call = { kind: "tool", name: "", callId, result } as const;
    return [{ ...below, id: callId, call }];
  }
  const answer = modelAnswerOf({ role: "assistant", content: partsOfItem(item, type) });
  const isResponse = type.endsWith("_call") || (type === "message" && item["role"] === "assistant");
  if (!isResponse || answer === undefined) return [];
  const { model, response } = session;
  const call = { kind: "model", provider: "openai", model, turns: [], answer, isPart: true } as const;
  return [{ ...below, id: `response ${response}`, call }];
}

/** Returns the parts of an item; a call of a custom tool or of the shell has its arguments under another name. */
function partsOfItem(item: Fields, type: string): unknown {
  if (type === "message") return item["content"];
  const name = textField(item, "name") ?? type.replace(/_call$/, "");
  return [{ ...item, type: "function_call", name, arguments: item["arguments"] ?? item["input"] ?? item["action"] }];
}
