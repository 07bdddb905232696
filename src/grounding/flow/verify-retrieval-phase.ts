import type { z } from "zod";
import { type Result, err, ok } from "../../base/result.ts";
import type { Step } from "../../step/define-step.ts";
import type { GroundingError } from "../grounding-error.ts";
import { expandQuery } from "../retrieve/expand-query.ts";
import { lowCoverage } from "../retrieve/low-coverage.ts";
import { verifyRetrieval } from "../retrieve/verify-retrieval.ts";
import type { FlowAdapters, FlowSettings } from "./flow-options.ts";
import { modelOf } from "./model-of.ts";
import { type PhaseOutcome, phaseStep } from "./phase-step.ts";
import type { FoundCoverage, GenerateState, RetrieveState, VerifyRetrievalState } from "./vera-state.ts";
import { STATE_SCHEMAS, coverageSchema } from "./vera-schemas.ts";

const output: z.ZodType<FoundCoverage, FoundCoverage> = coverageSchema;

/**
 * The phase that measures coverage (η₁) and closes the loop: below `coverageThreshold` it widens the query for another
 * hop, until `maxHops`; then the passages stand as they are, with a warning.
 */
export function verifyRetrievalPhase<A extends FlowAdapters>(
  settings: FlowSettings<A>,
): Step<VerifyRetrievalState, FoundCoverage, A> {
  return phaseStep({
    name: "verify_retrieval",
    input: STATE_SCHEMAS.verify_retrieval,
    output,
    async run(
      state,
      { adapters },
    ): Promise<Result<PhaseOutcome<FoundCoverage, RetrieveState | GenerateState>, GroundingError>> {
      const { question, library, found } = state;
      const { coverageThreshold, maxHops } = settings.config;
      const coverage = coverageOf(state, settings);
      const covered = (coverage.score ?? 0) >= coverageThreshold;
      const hops = found.queries.length;
      if (covered || hops >= maxHops) {
        const next: GenerateState = { phase: "generate", question, found, coverage };
        return ok({
          output: coverage,
          next,
          warnings: covered ? [] : [lowCoverage({ ...coverage, hops, wanted: coverageThreshold })],
        });
      }
      const llm = settings.expand === "model" ? modelOf(adapters, settings, "verify_retrieval") : ok(undefined);
      if (!llm.ok) return llm;
      const query = await expandQuery(
        { query: question, chunks: found.passages, missing: coverage.missing },
        llm.value,
      );
      if (!query.ok) return err({ ...query.error, operation: "verify_retrieval" });
      const next: RetrieveState = { phase: "retrieve", question, library, query: query.value, found };
      return ok({ output: coverage, next });
    },
  });
}

function coverageOf(
  { question, found }: VerifyRetrievalState,
  { config }: Pick<FlowSettings, "config">,
): FoundCoverage {
  const { groundingScore, claims } = verifyRetrieval(question, found.passages, config);
  return { score: groundingScore, missing: claims.filter(({ score }) => score === 0).map(({ text }) => text) };
}
