import { ok } from "../../base/result.ts";
import type { Step } from "../../step/define-step.ts";
import { type VerifyOptions, verifyGrounding } from "../verify/verify-grounding.ts";
import type { AnsweredQuestion } from "./answered-question.ts";
import { answeredQuestionOf } from "./answered-question-of.ts";
import type { FlowAdapters, FlowSettings } from "./flow-options.ts";
import { phaseStep } from "./phase-step.ts";
import type { VerifyGroundingState } from "./vera-state.ts";
import { STATE_SCHEMAS, answeredQuestionSchema } from "./vera-schemas.ts";

/**
 * The phase that verifies the answer (η₂) against the passages it is from. A low score is an outcome like any other.
 */
export function verifyGroundingPhase<A extends FlowAdapters>(
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
      const verified = await verifyGrounding(state.response, state.found.passages, options);
      if (!verified.ok) return verified;
      const output = answeredQuestionOf(state, verified.value);
      const left = output.unverified.leftOut;
      return ok({
        output,
        warnings:
          left === 0
            ? []
            : [
                `${left} further ${left === 1 ? "claim is" : "claims are"} not verified: the limit is ${config.maxFacts} (maxFacts).`,
              ],
      });
    },
  });
}
