// As a namespace: what bundles the declarations loses a name that `declare module` below declares again.
import type * as vitest from "vitest";
import type { AnyStep } from "./kernel/step/define-step.ts";
import type { Workflow } from "./kernel/step/define-workflow.ts";
import type { MatchersFor, NegatedMatchersFor } from "./typed-matchers.ts";
import type { BaselineMatchers } from "./matcher-types.ts";

declare const runner: vitest.ExpectStatic;

/** Return type of `expect` for a `T`, written in the one way that Vitest 3.2, 4 and 5 share. */
type AssertionOf<T> = ReturnType<typeof runner.soft<T>>;

/** The same with veritest's matchers for a `T`, and without those that don't fit. */
type AssertionFor<T> = Omit<AssertionOf<T>, keyof BaselineMatchers | "not"> &
  MatchersFor<void, T> & {
    readonly not: Omit<AssertionOf<T>, keyof BaselineMatchers | "not"> & NegatedMatchersFor<void, T>;
  };

declare global {
  // The one augmentation that Vitest 3.2, 4 and 5 all read, with and without skipLibCheck. It doesn't know the
  // type of the value given to `expect`.
  namespace Chai {
    interface Assertion extends BaselineMatchers {}
  }
}

declare module "vitest" {
  // The type parameters of `Assertion` are others in each version; those of a call are our own.
  interface ExpectStatic {
    /** The type of `any` is unknown: everything is allowed. */
    <T>(actual: 0 extends 1 & T ? T : never, message?: string): AssertionOf<T>;
    <S extends AnyStep>(actual: S, message?: string): AssertionFor<S>;
    <W extends Workflow>(actual: W, message?: string): AssertionFor<W>;
    <T>(actual: T, message?: string): AssertionFor<T>;
  }
}
