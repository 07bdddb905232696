import { z } from "zod";
import { err, ok } from "../../base/result.ts";
import type { Step } from "../../step/define-step.ts";
import { groundingError } from "../grounding-error.ts";
import type { FlowAdapters } from "./flow-options.ts";
import { phaseStep } from "./phase-step.ts";
import type { QueryState, RetrieveState } from "./vera-state.ts";
import { STATE_SCHEMAS } from "./vera-schemas.ts";

/** What the query phase reports. */
export interface QueryReport {
  /** The first query. */
  readonly query: string;
}

const output: z.ZodType<QueryReport, QueryReport> = z.object({ query: z.string() });

/** A question is no document: what is longer is refused before anything is searched or sent. */
const MAX_QUESTION = 10_000;

/**
 * The phase that takes the question: refused when it has no word or is over 10,000 characters, else the first query.
 */
export function queryPhase<A extends FlowAdapters>(): Step<QueryState, QueryReport, A> {
  return phaseStep({
    name: "query",
    input: STATE_SCHEMAS.query,
    output,
    async run({ question, library }) {
      const query = question.replace(/\s+/g, " ").trim();
      const problem = problemOf(query);
      if (problem !== undefined)
        return err(groundingError({ kind: "validation", ...problem, operation: "query", input: question }));
      const next: RetrieveState = {
        phase: "retrieve",
        question: query,
        library,
        query,
        found: { passages: [], queries: [], method: "bm25" },
      };
      return ok({ output: { query }, next });
    },
  });
}

function problemOf(query: string): { readonly code: string; readonly message: string } | undefined {
  if (!/[\p{L}\p{N}]/u.test(query))
    return { code: "blank_query", message: "The question has no word. Ask one, or name what you look for." };
  if (query.length <= MAX_QUESTION) return undefined;
  return {
    code: "long_query",
    message: `The question has ${query.length} characters, the limit is ${MAX_QUESTION}. Ask a shorter one; longer texts are documents.`,
  };
}
