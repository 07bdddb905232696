import type { BaselineLibrary } from "../baseline/library.ts";
import type { AnyStep } from "../step/define-step.ts";
import type { Check } from "./check.ts";
import { explainCheck } from "./explain-check.ts";
import { type InputQuestion, inputCase } from "./input-case.ts";

export type { InputQuestion } from "./input-case.ts";

/** Asks: does the step, on this input, decide as its baseline says? And if not: why? */
export async function checkInput(step: AnyStep, question: InputQuestion, library: BaselineLibrary): Promise<Check> {
  return explainCheck(await inputCase(step, question, library));
}
