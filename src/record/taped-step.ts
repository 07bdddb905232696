import type { AnyStep } from "../step/define-step.ts";

/** A step whose code runs on tapes, as a recorder's or a server's `within` runs it. */
export function tapedStep(step: AnyStep, within: <T>(run: () => T | PromiseLike<T>) => Promise<T>): AnyStep {
  return { ...step, run: async (input, ctx) => within(() => step.run(input, ctx)) };
}
