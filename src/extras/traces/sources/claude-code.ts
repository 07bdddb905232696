import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { recordsIn } from "../../../kernel/json/read-data.ts";
import type { Observation } from "../observation.ts";
import { traceTime } from "../spans.ts";
import { modelAnswerOf, textField, turnsOf, textOfTurns } from "../turns.ts";
import type { TraceSource } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Sessions of Claude Code, a message in each line: the trajectory of an agent, its responses and tool calls. */
export const claudeCodeSource: TraceSource = {
  name: "claude-code",
  title: "Claude Code",
  signs: /"sessionId"/,
  envelope: true,
  observer: () => (record) => {
    if (!isPlainObject(record) || !isPlainObject(record["message"])) return [];
    const trace = textField(record, "sessionId");
    const id = textField(record, "uuid");
    // The messages of a subagent belong to the tool call that began it.
    if (trace === undefined || id === undefined || record["isSidechain"] === true) return [];
    const start = traceTime(record["timestamp"]);
    const common = { trace, parent: rootId(trace), names: [], start };
    const { message } = record;
    if (record["type"] === "assistant") return [assistantOf({ ...common, id }, message)];
    return record["type"] === "user" ? userOf({ ...common, id }, record, message) : [];
  },
  setting: "import the session's file (~/.claude/projects/<project>/<session>.jsonl) as it was written",
};

/** Id of the observation that has the session's first question. */
function rootId(session: string): string {
  return `session ${session}`;
}

type Common = Pick<Observation, "trace" | "id" | "parent" | "names" | "start">;

/** A response may be several lines, one for each of its parts, with one id. */
function assistantOf(common: Common, message: Fields): Observation {
  const request = { provider: "anthropic", model: textField(message, "model"), turns: [] };
  return {
    ...common,
    id: textField(message, "id") ?? common.id,
    call: { kind: "model", ...request, answer: modelAnswerOf(message), isPart: true },
  };
}

/** Returns the results of tools, or the question that begins the session. */
function userOf(common: Common, record: Fields, message: Fields): readonly Observation[] {
  const turns = turnsOf([message]);
  const results = turns.flatMap((turn) => turn.results);
  if (results.length > 0) {
    const isFailed = (id: string): boolean =>
      recordsIn(message["content"]).some((part) => part["is_error"] === true && part["tool_use_id"] === id);
    return results.map(({ id, value }) => {
      const end = isFailed(id) ? { error: String(value) } : { result: { value } };
      return { ...common, id, call: { kind: "tool", name: "", callId: id, ...end } };
    });
  }
  const text = textOfTurns(turns);
  return record["isMeta"] === true || text === ""
    ? []
    : [{ ...common, id: rootId(common.trace), parent: undefined, names: ["claude-code"], input: text }];
}
