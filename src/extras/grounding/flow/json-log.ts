import { escapeJson } from "../../../kernel/text.ts";
import type { AnswerEvent, AnswerState } from "./answer-state.ts";

/**
 * Creates a listener that writes a run's events as JSON, one line each, with times in ISO 8601. Failures include their
 * error. Texts of documents and answers aren't logged.
 *
 * @example
 * await flow.run({ question, documents }, { adapters, onEvent: jsonLog((line) => process.stderr.write(line)) });
 */
export function jsonLog(write: (line: string) => void): (event: AnswerEvent, state: AnswerState) => void {
  return ({ at, ...event }, state) => {
    const record = {
      time: new Date(at).toISOString(),
      level: levelOf(event.type, state),
      ...event,
      ...factsOf(event.type, state),
    };
    write(`${escapeJson(JSON.stringify(record))}\n`);
  };
}

function levelOf(type: AnswerEvent["type"], { phase }: AnswerState): "info" | "warn" | "error" {
  if (type === "warning") return "warn";
  return phase === "failed" ? "error" : "info";
}

function factsOf(type: AnswerEvent["type"], state: AnswerState): object {
  if (type === "warning") return {};
  if (state.phase === "failed") return { at: state.at, error: state.error };
  if (state.phase !== "complete") return {};
  const { support, label, claims, citations, retrieval, answeredBy } = state.answer;
  return {
    answeredBy,
    support,
    label,
    claims: claims.length,
    citations: citations.length,
    coverage: retrieval.coverage,
    hops: retrieval.queries.length,
  };
}
