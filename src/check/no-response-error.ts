import { type AdapterCall, adapterName } from "../record/adapter-call.ts";
import { comparedForm } from "../record/encode/decode.ts";
import type { UnrecordedRequest } from "../record/replay/unrecorded-request.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import type { CaseExecution } from "./execute-case.ts";

/** Returns the error of a new case that called an adapter while no live adapter could respond. */
export function noResponseError({ adapter }: UnrecordedRequest, { stepCase, responses }: CaseExecution): StepError {
  const missing =
    responses.kind === "recorded" && !responses.hasAdapters
      ? "but no adapters were passed. Pass them ({} if the step takes none): toMatchBaseline({ input, adapters })."
      : "but a new case has no recorded calls, and this run doesn't call live adapters. " +
        "Capture it once outside CI: VERITEST_MODE=live.";
  return kernelError("no_adapters", `Step "${stepCase.step.name}" called adapter "${adapter}", ${missing}`);
}

/** Names the adapter that a step called and that doesn't exist: a model may request an unknown tool. */
export function withMissingAdapter(error: StepError, last: AdapterCall | undefined): StepError {
  // The proxy of the adapters returns undefined, and the step throws the engine's own error.
  if (last?.returns !== "property" || !error.message.endsWith(" is not a function")) return error;
  if (comparedForm(last.response) !== undefined) return error;
  return { ...error, message: `${error.message}: there is no ${adapterName(last.adapter)}` };
}
