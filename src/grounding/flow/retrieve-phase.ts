import { z } from "zod";
import { type Result, err, ok } from "../../base/result.ts";
import type { Step } from "../../step/define-step.ts";
import { type GroundingError, groundingError } from "../grounding-error.ts";
import { searchChunks } from "../retrieve/search-chunks.ts";
import type { SearchIndex } from "../retrieve/search-index.ts";
import type { FlowAdapters, FlowSettings } from "./flow-options.ts";
import { type IndexChunks, indexMemo } from "./index-memo.ts";
import { phaseStep } from "./phase-step.ts";
import type { Library, RetrieveState, VerifyRetrievalState } from "./vera-state.ts";
import { STATE_SCHEMAS } from "./vera-schemas.ts";

/** What a hop reports. */
export interface RetrieveReport {
  readonly query: string;
  /** Ids of the chunks that this hop added, the best first. */
  readonly added: readonly string[];
}

const output: z.ZodType<RetrieveReport, RetrieveReport> = z.object({ query: z.string(), added: z.array(z.string()) });

/** The phase that makes one hop: a search without what earlier hops found. */
export function retrievePhase<A extends FlowAdapters>(
  settings: FlowSettings<A>,
): Step<RetrieveState, RetrieveReport, A> {
  const indexChunks = indexMemo();
  return phaseStep({
    name: "retrieve",
    input: STATE_SCHEMAS.retrieve,
    output,
    async run({ question, library, query, found }, { adapters }) {
      const index = await indexOf(library, adapters, indexChunks);
      if (!index.ok) return index;
      const exclude = new Set(found.passages.map(({ id }) => id));
      const result = await searchChunks(index.value, query, { limit: settings.limit, exclude });
      if (!result.ok) return result;
      const { hits, method, warnings } = result.value;
      const added = hits.map(({ chunk }) => chunk);
      const next: VerifyRetrievalState = {
        phase: "verify_retrieval",
        question,
        library,
        found: { passages: [...found.passages, ...added], queries: [...found.queries, query], method },
      };
      return ok({
        output: { query, added: added.map(({ id }) => id) },
        next,
        warnings: found.queries.length === 0 ? warnings : [],
      });
    },
  });
}

async function indexOf(
  library: Library,
  adapters: FlowAdapters,
  indexChunks: IndexChunks,
): Promise<Result<SearchIndex, GroundingError>> {
  if (library.kind === "chunks") return indexChunks(library.chunks);
  // Read only here: a look at an adapter is recorded like a call.
  const { index } = adapters;
  if (index !== undefined) return ok(index);
  const message =
    'There is nothing to search: the question came without documents, and the adapter "index" is missing. Give one of them.';
  return err(groundingError({ kind: "validation", code: "no_index", message, operation: "retrieve" }));
}
