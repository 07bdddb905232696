import type { FailedState } from "../../grounding/flow/vera-state.ts";

/** What to do about a failed question, where its message does not say it already. */
export function suggestionFor({ error }: FailedState): string {
  switch (error.kind) {
    case "provider":
      return error.retryable
        ? "Try again, or answer without a model: --extract"
        : "Or answer without a model: --extract";
    case "retrieval":
      return "Ingest the documents again: npx veritest ground ingest <path>";
    case "internal":
      return "Run it again with --log for all steps, and report it.";
    case "validation":
    case "verification":
      return "";
  }
}
