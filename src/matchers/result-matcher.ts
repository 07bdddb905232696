import type { StepResult } from "../step/step-result.ts";
import type { MatcherAnswer } from "./context.ts";
import { readResult, wrongReceived } from "./received.ts";
import { errorText } from "./to-be-ok.ts";

/**
 * The frame of a matcher over a step result: a failed result fails it with the step's own error, also under `.not`
 * (what never ran has not done anything), and anything else that is no result is a TypeError.
 */
export function onResult(
  matcher: string,
  received: unknown,
  judge: (result: StepResult) => MatcherAnswer,
): MatcherAnswer {
  const read = readResult(received);
  switch (read.kind) {
    case "result":
      return judge(read.result);
    case "error":
      throw new Error(`${matcher}: the step failed with ${errorText(read.error)}`);
    case "neither":
      throw wrongReceived(matcher, "a StepResult or a Result of one", received);
  }
}
