import { z } from "zod/v4";
import { hashValueSync } from "../../../kernel/json/hash.ts";
import { type Result, err, ok } from "../../../kernel/result.ts";
import type { Step } from "../../../kernel/step/define-step.ts";
import { type GroundingError, groundingFailure } from "../grounding-error.ts";
import type { Chunk } from "../ingest/document.ts";
import { lowCoverage, verifyRetrieval } from "../retrieve/coverage.ts";
import { expandQuery } from "../retrieve/expand-query.ts";
import { type MemoryIndex, createMemoryIndex } from "../retrieve/memory-index.ts";
import { type SearchIndex, searchChunks } from "../retrieve/search-index.ts";
import { flowModel } from "./flow-model.ts";
import type { FlowAdapters, FlowSettings } from "./flow-options.ts";
import { type PhaseOutcome, phaseStep } from "./phase-step.ts";
import { STATE_SCHEMAS, coverageSchema } from "./answer-schemas.ts";
import type { QuestionCoverage, GenerateState, Library, RetrieveState, VerifyRetrievalState } from "./answer-state.ts";

/** Output of a hop. */
export interface RetrieveReport {
  readonly query: string;
  /** Ids of the chunks that this hop added, best first. */
  readonly added: readonly string[];
}

const hopSchema: z.ZodType<RetrieveReport, RetrieveReport> = z.object({
  query: z.string(),
  added: z.array(z.string()),
});

/** Creates the phase that runs one hop: a search that excludes the passages of earlier hops. */
export function retrievePhase<A extends FlowAdapters>(
  settings: FlowSettings<A>,
): Step<RetrieveState, RetrieveReport, A> {
  const indexChunks = indexMemo();
  return phaseStep({
    name: "retrieve",
    input: STATE_SCHEMAS.retrieve,
    output: hopSchema,
    async run({ question, library, query, retrieved }, { adapters }) {
      const index = await indexOf(library, adapters, indexChunks);
      if (!index.ok) return index;
      const exclude = new Set(retrieved.passages.map(({ id }) => id));
      const result = await searchChunks(index.value, query, { limit: settings.limit, exclude });
      if (!result.ok) return result;
      const { hits, method, warnings } = result.value;
      const added = hits.map(({ chunk }) => chunk);
      const next: VerifyRetrievalState = {
        phase: "verify_retrieval",
        question,
        library,
        retrieved: { passages: [...retrieved.passages, ...added], queries: [...retrieved.queries, query], method },
      };
      return ok({
        output: { query, added: added.map(({ id }) => id) },
        next,
        warnings: retrieved.queries.length === 0 ? warnings : [],
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
  // Read the adapter only here: reading it is recorded like a call.
  const { index } = adapters;
  if (index !== undefined) return ok(index);
  const message =
    "There is nothing to search. " +
    'The question doesn\'t have documents, and the adapter "index" is missing. Pass one of them.';
  return groundingFailure({ kind: "validation", code: "no_index", message, operation: "retrieve" });
}

const coverageReport: z.ZodType<QuestionCoverage, QuestionCoverage> = coverageSchema;

/**
 * Creates the phase that measures coverage (η₁) and closes the loop. Below `coverageThreshold` it widens the query for
 * another hop, until `maxHops`. Then the flow continues with the passages it has and a warning.
 */
export function verifyRetrievalPhase<A extends FlowAdapters>(
  settings: FlowSettings<A>,
): Step<VerifyRetrievalState, QuestionCoverage, A> {
  return phaseStep({
    name: "verify_retrieval",
    input: STATE_SCHEMAS.verify_retrieval,
    output: coverageReport,
    async run(
      state,
      { adapters },
    ): Promise<Result<PhaseOutcome<QuestionCoverage, RetrieveState | GenerateState>, GroundingError>> {
      const { question, library, retrieved } = state;
      const { coverageThreshold, maxHops } = settings.config;
      const coverage = coverageOf(state, settings);
      const covered = (coverage.score ?? 0) >= coverageThreshold;
      const hops = retrieved.queries.length;
      if (covered || hops >= maxHops) {
        const next: GenerateState = { phase: "generate", question, retrieved, coverage };
        return ok({
          output: coverage,
          next,
          warnings: covered ? [] : [lowCoverage({ ...coverage, hops, wanted: coverageThreshold })],
        });
      }
      const llm = settings.expand === "model" ? flowModel(adapters, settings, "verify_retrieval") : ok(undefined);
      if (!llm.ok) return llm;
      const query = await expandQuery(
        { query: question, chunks: retrieved.passages, missing: coverage.missing },
        llm.value,
      );
      if (!query.ok) return err({ ...query.error, operation: "verify_retrieval" });
      const next: RetrieveState = { phase: "retrieve", question, library, query: query.value, retrieved };
      return ok({ output: coverage, next });
    },
  });
}

function coverageOf(
  { question, retrieved }: VerifyRetrievalState,
  { config }: Pick<FlowSettings, "config">,
): QuestionCoverage {
  const { support, claims } = verifyRetrieval(question, retrieved.passages, config);
  return { score: support, missing: claims.filter(({ score }) => score === 0).map(({ text }) => text) };
}

/** Returns the index of chunks. */
type IndexChunks = (chunks: readonly Chunk[]) => Promise<Result<MemoryIndex, GroundingError>>;

/**
 * Creates a function that indexes chunks and caches the last index, since all hops of a question search the same chunks
 * and indexing a book takes a second. The cache key is the content, so results always equal those of a fresh index.
 */
export function indexMemo(): IndexChunks {
  let last: { readonly key: string; readonly index: MemoryIndex } | undefined;
  return async (chunks) => {
    const key = hashValueSync(chunks);
    if (last?.key === key) return ok(last.index);
    const index = await createMemoryIndex(chunks);
    if (index.ok) last = { key, index: index.value };
    return index;
  };
}
