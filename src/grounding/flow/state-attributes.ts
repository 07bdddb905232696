import type { SpanAttribute } from "../pipeline/span.ts";
import type { VeraState } from "./vera-state.ts";

/**
 * What a span says of the state that its work led to: numbers, labels and codes, no text of a document or an answer.
 */
export function stateAttributes(state: VeraState): Readonly<Record<string, SpanAttribute>> {
  switch (state.phase) {
    case "ingest":
      return { "vera.documents": state.documents.length };
    case "query":
      return state.library.kind === "chunks" ? { "vera.chunks": state.library.chunks.length } : {};
    case "retrieve":
    case "verify_retrieval":
      return { "vera.hops": state.found.queries.length, "vera.passages": state.found.passages.length };
    case "generate":
      return {
        "vera.hops": state.found.queries.length,
        "vera.passages": state.found.passages.length,
        "vera.coverage": state.coverage.score ?? "none",
      };
    case "verify_grounding":
      return { "vera.answered_by": state.answeredBy, "vera.response_length": state.response.length };
    case "complete": {
      const { groundingScore, label, claims, citations } = state.answer;
      return {
        "vera.grounding_score": groundingScore ?? "none",
        "vera.label": label,
        "vera.claims": claims.length,
        "vera.citations": citations.length,
      };
    }
    case "failed":
      return { "vera.error_kind": state.error.kind, "vera.error_code": state.error.code };
  }
}
