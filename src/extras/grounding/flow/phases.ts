import { z } from "zod/v4";
import { groundingFailure } from "../grounding-error.ts";
import { ok } from "../../../kernel/result.ts";
import type { Step } from "../../../kernel/step/define-step.ts";
import { type IngestedDocument, blankPagesWarning } from "../ingest/document.ts";
import { ingest } from "../ingest/ingest.ts";
import { type VerifyOptions, verifyGrounding } from "../verify/verify-grounding.ts";
import { answeredQuestionOf } from "./answered-question.ts";
import type {
  AnsweredQuestion,
  QuestionCoverage,
  GenerateState,
  IngestState,
  QueryState,
  RetrieveState,
  VerifyGroundingState,
  VerifyRetrievalState,
} from "./answer-state.ts";
import type { FlowAdapters, FlowSettings } from "./flow-options.ts";
import { type GenerateReport, generatePhase } from "./generate-phase.ts";
import { phaseStep } from "./phase-step.ts";
import { type RetrieveReport, retrievePhase, verifyRetrievalPhase } from "./retrieve-phases.ts";
import { STATE_SCHEMAS, answeredQuestionSchema } from "./answer-schemas.ts";

/** Steps by the name of their phase. Each takes the phase's state, and its command leads to the next phase. */
export type PhaseSteps<A extends FlowAdapters> = {
  readonly ingest: Step<IngestState, IngestReport, A>;
  readonly query: Step<QueryState, QueryReport, A>;
  readonly retrieve: Step<RetrieveState, RetrieveReport, A>;
  readonly verify_retrieval: Step<VerifyRetrievalState, QuestionCoverage, A>;
  readonly generate: Step<GenerateState, GenerateReport, A>;
  readonly verify_grounding: Step<VerifyGroundingState, AnsweredQuestion, A>;
};

/** Creates the steps of all phases. */
export function phasesOf<A extends FlowAdapters>(settings: FlowSettings<A>): PhaseSteps<A> {
  return {
    ingest: ingestPhase(settings),
    query: queryPhase(),
    retrieve: retrievePhase(settings),
    verify_retrieval: verifyRetrievalPhase(settings),
    generate: generatePhase(settings),
    verify_grounding: verifyGroundingPhase(settings),
  };
}

/** Output of the ingest phase. */
interface IngestReport {
  readonly documents: readonly { readonly id: string; readonly name: string; readonly chunks: number }[];
}

const ingestReport: z.ZodType<IngestReport, IngestReport> = z.object({
  documents: z.array(z.object({ id: z.string(), name: z.string(), chunks: z.int() })),
});

/** Creates the phase that reads the documents. An unreadable document fails the flow; a repeated one counts once. */
function ingestPhase<A extends FlowAdapters>(settings: FlowSettings<A>): Step<IngestState, IngestReport, A> {
  return phaseStep({
    name: "ingest",
    input: STATE_SCHEMAS.ingest,
    output: ingestReport,
    async run({ question, documents }) {
      if (documents.length === 0)
        return groundingFailure({
          kind: "validation",
          code: "no_documents",
          message:
            "There are no documents to answer from. Pass documents, or remove the field to search the " +
            `adapter "index".`,
          operation: "ingest",
        });
      const read = new Map<string, IngestedDocument>();
      const warnings: string[] = [];
      for (const input of documents) {
        const document = await ingest(input, settings.ingest);
        if (!document.ok) return document;
        const { id, name } = document.value;
        const { blankPages = [], pages } = document.value;
        if (blankPages.length > 0) warnings.push(blankPagesWarning(name, blankPages, pages.length));
        const before = read.get(id);
        if (before === undefined) read.set(id, document.value);
        else
          warnings.push(
            `The documents ${JSON.stringify(before.name)} and ${JSON.stringify(name)} have the same content, ` +
              "so it is read only once.",
          );
      }
      const next: QueryState = {
        phase: "query",
        question,
        library: { kind: "chunks", chunks: [...read.values()].flatMap(({ chunks }) => chunks) },
      };
      return ok({
        output: { documents: [...read.values()].map(({ id, name, chunks }) => ({ id, name, chunks: chunks.length })) },
        next,
        warnings,
      });
    },
  });
}

/** Output of the query phase. */
interface QueryReport {
  /** The first query. */
  readonly query: string;
}

const queryReport: z.ZodType<QueryReport, QueryReport> = z.object({ query: z.string() });

/** Maximum number of characters of a question. Longer ones are rejected before any search or request. */
const MAX_QUESTION = 10_000;

/**
 * Creates the phase that turns the question into the first query. It rejects questions without a word or of more than
 * 10,000 characters.
 */
function queryPhase<A extends FlowAdapters>(): Step<QueryState, QueryReport, A> {
  return phaseStep({
    name: "query",
    input: STATE_SCHEMAS.query,
    output: queryReport,
    async run({ question, library }) {
      const query = question.replace(/\s+/g, " ").trim();
      const problem = problemOf(query);
      if (problem !== undefined)
        return groundingFailure({ kind: "validation", ...problem, operation: "query", input: question });
      const next: RetrieveState = {
        phase: "retrieve",
        question: query,
        library,
        query,
        retrieved: { passages: [], queries: [], method: "bm25" },
      };
      return ok({ output: { query }, next });
    },
  });
}

function problemOf(query: string): { readonly code: string; readonly message: string } | undefined {
  if (!/[\p{L}\p{N}]/u.test(query))
    return {
      code: "blank_query",
      message: "The question doesn't contain a word. Ask a question, or enter the words to search for.",
    };
  if (query.length <= MAX_QUESTION) return undefined;
  return {
    code: "long_query",
    message:
      `The question has ${query.length} characters, which is more than the limit of ${MAX_QUESTION}. ` +
      "Ask a shorter question, and pass longer text as a document.",
  };
}

/** Creates the phase that verifies the answer (η₂) against its passages. A low score doesn't fail the phase. */
function verifyGroundingPhase<A extends FlowAdapters>(
  settings: FlowSettings<A>,
): Step<VerifyGroundingState, AnsweredQuestion, A> {
  return phaseStep({
    name: "verify_grounding",
    input: STATE_SCHEMAS.verify_grounding,
    output: answeredQuestionSchema,
    async run(state, { adapters }) {
      const { config, verifier } = settings;
      const options: VerifyOptions = {
        question: state.question,
        config,
        ...(verifier === undefined ? {} : { verifier: verifier(adapters) }),
      };
      const verified = await verifyGrounding(state.response, state.retrieved.passages, options);
      if (!verified.ok) return verified;
      const output = answeredQuestionOf(state, verified.value, config);
      const unverified = output.unverified.leftOut;
      return ok({
        output,
        warnings:
          unverified === 0
            ? []
            : [
                `${unverified} further ${unverified === 1 ? "claim is" : "claims are"} not verified: ` +
                  `the limit is ${config.maxFacts} (maxFacts).`,
              ],
      });
    },
  });
}
