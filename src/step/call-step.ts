import { type Result, err, ok } from "../base/result.ts";
import { typeName } from "../base/type-name.ts";
import type { BaseAdapters, StepContext } from "./context.ts";
import type { AnyStep, StepReturn } from "./define-step.ts";
import { isStepFailure } from "./fail.ts";
import { type StepError, kernelError, messageOf } from "./step-error.ts";

/**
 * Calls a step's `run` with a parsed input and turns every way it can end badly into a {@link StepError}: a returned
 * failure keeps its code, a throw or a return that is no step return becomes `execution_failed`.
 */
export async function callStep(
  step: AnyStep,
  input: unknown,
  ctx: StepContext<BaseAdapters>,
): Promise<Result<StepReturn, StepError>> {
  try {
    return judge(step.name, await step.run(input, ctx));
  } catch (cause) {
    return err(kernelError("execution_failed", messageOf(cause), cause));
  }
}

function judge(name: string, returned: unknown): Result<StepReturn, StepError> {
  if (isStepFailure(returned)) {
    const { code, message, retryable = false, cause } = returned;
    return err({ code, message, retryable, ...(cause === undefined ? {} : { cause }) });
  }
  if (!isStepReturn(returned)) {
    const message = `Step "${name}" returned ${typeName(returned)}; return { output } or fail(code, message).`;
    return err(kernelError("execution_failed", message));
  }
  for (const list of ["events", "commands"] as const) {
    if (returned[list] === undefined || Array.isArray(returned[list])) continue;
    return err(kernelError("execution_failed", `Step "${name}" returned ${list} that are no array.`));
  }
  return ok(returned);
}

function isStepReturn(value: unknown): value is StepReturn {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
