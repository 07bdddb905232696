import { checkBySchema } from "../state/parse-by-schema.ts";
import { exactOptional } from "../../../kernel/exact-optional.ts";
import { z } from "zod/v4";
import type { Result } from "../../../kernel/result.ts";
import { chunkSchema } from "../ingest/document.ts";
import type { SearchMethod } from "../retrieve/search-index.ts";
import type { Citation } from "../verify/verification.ts";
import type {
  AnsweredQuestion,
  FlowDocument,
  FlowError,
  RetrievedPassages,
  QuestionCoverage,
  Library,
  AnswerState,
  WorkingState,
} from "./answer-state.ts";

/** Schema whose output equals its input. */
type Exact<T> = z.ZodType<T, T>;

const count = z.int().min(0);
const share = z.number().min(0).max(1);
const page = exactOptional(z.int().min(1));
const method: Exact<SearchMethod> = z.enum(["bm25", "hybrid"]);

const library: Exact<Library> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("chunks"), chunks: z.array(chunkSchema) }),
  z.object({ kind: z.literal("adapter") }),
]);
const retrieved: Exact<RetrievedPassages> = z.object({
  passages: z.array(chunkSchema),
  queries: z.array(z.string()),
  method,
});

/** Schema of a question's documents. */
export const documentsSchema: Exact<readonly FlowDocument[]> = z.array(
  z.union([
    z.strictObject({ path: z.string().min(1), name: exactOptional(z.string().min(1)) }),
    z.strictObject({ name: z.string().min(1), text: z.string() }),
  ]),
);

/** Schema of how much of a question the passages cover. */
export const coverageSchema: Exact<QuestionCoverage> = z.object({
  score: share.nullable(),
  missing: z.array(z.string()),
});

const question = z.string();
const answeredBy = z.enum(["model", "extract", "nobody"]);

/** Input schema of each phase's step. */
export const STATE_SCHEMAS: {
  readonly [Phase in WorkingState["phase"]]: Exact<Extract<WorkingState, { readonly phase: Phase }>>;
} = {
  ingest: z.object({ phase: z.literal("ingest"), question, documents: documentsSchema }),
  query: z.object({ phase: z.literal("query"), question, library }),
  retrieve: z.object({ phase: z.literal("retrieve"), question, library, query: z.string(), retrieved }),
  verify_retrieval: z.object({ phase: z.literal("verify_retrieval"), question, library, retrieved }),
  generate: z.object({ phase: z.literal("generate"), question, retrieved, coverage: coverageSchema }),
  verify_grounding: z.object({
    phase: z.literal("verify_grounding"),
    question,
    retrieved,
    coverage: coverageSchema,
    response: z.string(),
    answeredBy,
  }),
};

/** Schema of a cited span. */
export const citationSchema: Exact<Citation> = z.object({
  document: z.string(),
  page,
  start: count,
  end: count,
  quote: z.string(),
  score: share,
});
const scored = z.enum(["grounded", "partial", "ungrounded"]);

/** Schema of an {@link AnsweredQuestion}. */
export const answeredQuestionSchema: Exact<AnsweredQuestion> = z.object({
  question,
  response: z.string(),
  cited: z.string(),
  answeredBy,
  support: share.nullable(),
  label: z.enum(["grounded", "partial", "ungrounded", "no_claims"]),
  insufficient: exactOptional(z.enum(["coverage", "relevance"])),
  claims: z.array(
    z.object({
      id: z.string(),
      score: share,
      label: scored,
      missing: z.array(z.string()),
      contradictions: exactOptional(z.array(z.string())),
      note: exactOptional(z.string()),
    }),
  ),
  citations: z.array(citationSchema),
  retrieval: z.object({
    coverage: share.nullable(),
    missing: z.array(z.string()),
    queries: z.array(z.string()),
    method,
    passages: z.array(z.string()),
  }),
  unverified: z.object({ nonClaims: count, leftOut: count }),
});

const phase = z.enum(["ingest", "query", "retrieve", "verify_retrieval", "generate", "verify_grounding"]);

const failed: z.ZodType<AnswerState> = z.object({
  phase: z.literal("failed"),
  at: phase,
  error: z.object({
    kind: z.enum(["validation", "retrieval", "verification", "provider", "internal"]),
    code: z.string(),
    message: z.string(),
    operation: z.string(),
    input: exactOptional(z.string()),
    retryable: z.boolean(),
    cause: exactOptional(z.string()),
  }) satisfies z.ZodType<FlowError>,
});
const complete: z.ZodType<AnswerState> = z.object({ phase: z.literal("complete"), answer: answeredQuestionSchema });

/** Parses a stored state with work left, or returns a description of the issues. */
export function parseWorkingState(value: unknown): Result<WorkingState, string> {
  const named = checkBySchema(z.object({ phase }), value);
  return named.ok ? checkBySchema<WorkingState>(STATE_SCHEMAS[named.value.phase], value) : named;
}

/** Parses any stored state, or returns a description of the issues. */
export function parseState(value: unknown): Result<AnswerState, string> {
  const named = checkBySchema(z.object({ phase: z.enum([...phase.options, "complete", "failed"]) }), value);
  if (!named.ok) return named;
  if (named.value.phase === "complete") return checkBySchema(complete, value);
  return named.value.phase === "failed" ? checkBySchema(failed, value) : parseWorkingState(value);
}
