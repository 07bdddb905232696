import type { StepResult } from "../step/step-result.ts";
import type { MatcherAnswer } from "./context.ts";
import { readResult, wrongReceived } from "./received.ts";
import { escapeText } from "../base/text.ts";

/**
 * The frame of a matcher over a step result: a failed result fails it with the step's own error, anything else that is
 * no result is a TypeError.
 */
export function onResult(matcher: string, received: unknown, judge: (result: StepResult) => MatcherAnswer): MatcherAnswer {
  const read = readResult(received);
  switch (read.kind) {
    case "result":
      return judge(read.result);
    case "error":
      return { pass: false, message: () => `${matcher}: the step failed with ${escapeText(`${read.error.code}: ${read.error.message}`)}` };
    case "neither":
      throw wrongReceived(matcher, "a StepResult or a Result of one", received);
  }
}
