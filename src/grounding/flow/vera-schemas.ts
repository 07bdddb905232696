import { z } from "zod";
import { chunkSchema } from "../ingest/chunk-schema.ts";
import type { SearchMethod } from "../retrieve/search-index.ts";
import type { Citation } from "../verify/verification.ts";
import type { AnsweredQuestion } from "./answered-question.ts";
import type {
  FlowDocument,
  Found,
  FoundCoverage,
  GenerateState,
  IngestState,
  Library,
  QueryState,
  RetrieveState,
  VerifyGroundingState,
  VerifyRetrievalState,
  WorkingState,
} from "./vera-state.ts";

/** A schema that changes nothing: what goes in comes out. */
type Exact<T> = z.ZodType<T, T>;

const place = z.int().min(0);
const share = z.number().min(0).max(1);
const page = z.int().min(1).exactOptional();
const method: Exact<SearchMethod> = z.enum(["bm25", "hybrid", "rrf"]);

const library: Exact<Library> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("chunks"), chunks: z.array(chunkSchema) }),
  z.object({ kind: z.literal("adapter") }),
]);
const found: Exact<Found> = z.object({ passages: z.array(chunkSchema), queries: z.array(z.string()), method });

/** Documents of a question. */
export const documentsSchema: Exact<readonly FlowDocument[]> = z.array(
  z.union([
    z.strictObject({ path: z.string().min(1), name: z.string().min(1).exactOptional() }),
    z.strictObject({ name: z.string().min(1), text: z.string() }),
  ]),
);

/** How far passages speak of a question. */
export const coverageSchema: Exact<FoundCoverage> = z.object({ score: share.nullable(), missing: z.array(z.string()) });

const question = z.string();
const answeredBy = z.enum(["model", "extract", "nobody"]);

const ingest: Exact<IngestState> = z.object({ phase: z.literal("ingest"), question, documents: documentsSchema });
const query: Exact<QueryState> = z.object({ phase: z.literal("query"), question, library });
const retrieve: Exact<RetrieveState> = z.object({
  phase: z.literal("retrieve"),
  question,
  library,
  query: z.string(),
  found,
});
const verifyRetrieval: Exact<VerifyRetrievalState> = z.object({
  phase: z.literal("verify_retrieval"),
  question,
  library,
  found,
});
const generate: Exact<GenerateState> = z.object({
  phase: z.literal("generate"),
  question,
  found,
  coverage: coverageSchema,
});
const verifyGrounding: Exact<VerifyGroundingState> = z.object({
  phase: z.literal("verify_grounding"),
  question,
  found,
  coverage: coverageSchema,
  response: z.string(),
  answeredBy,
});

/** The schema of each phase's state: what its step takes. */
export const STATE_SCHEMAS: {
  readonly [Phase in WorkingState["phase"]]: Exact<Extract<WorkingState, { readonly phase: Phase }>>;
} = {
  ingest,
  query,
  retrieve,
  verify_retrieval: verifyRetrieval,
  generate,
  verify_grounding: verifyGrounding,
};

/** A place in a source. */
export const citationSchema: Exact<Citation> = z.object({
  document: z.string(),
  page,
  start: place,
  end: place,
  quote: z.string(),
  score: share,
});
const scored = z.enum(["grounded", "partial", "ungrounded"]);

/** The fields of an {@link AnsweredQuestion}. */
export const answeredQuestionSchema: Exact<AnsweredQuestion> = z.object({
  question,
  response: z.string(),
  cited: z.string(),
  answeredBy,
  groundingScore: share.nullable(),
  label: z.enum(["grounded", "partial", "ungrounded", "no_claims"]),
  claims: z.array(
    z.object({
      id: z.string(),
      score: share,
      label: scored,
      missing: z.array(z.string()),
      note: z.string().exactOptional(),
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
  unverified: z.object({ nonClaims: place, leftOut: place }),
});
