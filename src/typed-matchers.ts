import type { Recording } from "./record/with-replay.ts";
import type { BaseAdapters } from "./kernel/step/context.ts";
import type { Step, StepInput } from "./kernel/step/define-step.ts";
import type { StepResult } from "./kernel/step/step-result.ts";
import type { Workflow, WorkflowSteps } from "./kernel/step/define-workflow.ts";
import type { MatchStepOptions, MatchValueOptions } from "./matchers/to-match-baseline.ts";
import type { PureOptions } from "./matchers/to-be-pure.ts";
import type { RecomputeCleanOptions } from "./matchers/to-recompute-clean.ts";
import type { Budget } from "./check/run/costs.ts";
import type { FollowOptions, ReferenceCall, ToCallOptions, TrajectoryOptions } from "./matchers/trajectory-matchers.ts";
import type { BaselineMatchers, StoredName } from "./matcher-types.ts";
import type { CallTarget, ValueName } from "./matchers/types.ts";

/**
 * Matchers for the value that you pass to `expect`. For a step, their types include the types of its input and
 * adapters. `R` is the return type of the runner's own matchers, which is a promise after `.resolves`.
 */
export type MatchersFor<R, T> = {
  readonly [Name in keyof BaselineMatchers]: MatcherFor<[R] extends [Promise<void>] ? Awaited<T> : T, Name>;
};

/** Matchers that you can use with `.not`. You can't call matchers that compare stored baselines. */
export type NegatedMatchersFor<R, T> = {
  readonly [Name in keyof BaselineMatchers]: Name extends StoredName
    ? CannotBeNegated<"assert the difference itself, such as expect(result.value.output.total).not.toBe(9)">
    : MatchersFor<R, T>[Name];
};

/** Type of a matcher behind `.not` that cannot be called. */
interface CannotBeNegated<Instead> {
  readonly instead: Instead;
}

/** Type of a matcher that doesn't fit the value given to `expect`: it cannot be called. */
interface NotFor<Subject> {
  readonly "is not for": Subject;
}

/**
 * Type of a matcher for `T`. TypeScript checks each member of a union separately. A member that doesn't fit the
 * matcher doesn't add a type, so `expect(list[0])` compiles even if the element can be `undefined`. The matcher then
 * reports the element's path. (For a step whose type is a type parameter, the parameter's constraint applies.)
 */
type MatcherFor<T, Name extends keyof BaselineMatchers> = 0 extends 1 & T
  ? Unbound<Name>
  : unknown extends T
    ? Unbound<Name>
    : T extends Step<infer Input, infer Output, infer Adapters, infer _Parsed>
      ? MemberOf<StepMatchers<Input, Output, Adapters>, Name>
      : T extends Workflow<infer Steps>
        ? MemberOf<WorkflowMatchers<Steps>, Name>
        : T extends null | undefined
          ? MemberOfNothing<Name>
          : Name extends keyof ValueMatchers
            ? ValueMatchers[Name]
            : T extends Primitive
              ? NotFor<T>
              : Name extends keyof StoredMatchers
                ? NotFor<T>
                : MayBeResult<T> extends true
                  ? BaselineMatchers[Name]
                  : never;

type MemberOfNothing<Name extends keyof BaselineMatchers> = Name extends "toMatchBaseline"
  ? (this: UsedWithoutNot, options?: object) => Promise<void>
  : Name extends keyof ValueMatchers
    ? ValueMatchers[Name]
    : never;

/** Types that can't be the result of a step or a recording. */
type Primitive = string | number | bigint | boolean | symbol;

/** True if an object may be a result: it has a field of one, its `Result` or a recording, or no field is known. */
type MayBeResult<T> = object extends T
  ? true
  : [keyof T & ("ok" | keyof StepResult | keyof Recording)] extends [never]
    ? false
    : true;

type MemberOf<Typed, Name extends keyof BaselineMatchers> = Name extends keyof Typed
  ? Typed[Name]
  : Name extends keyof StoredMatchers
    ? StoredMatchers[Name]
    : NotFor<"a step: run it first">;

/** Type for a value of unknown type. */
type Unbound<Name extends keyof BaselineMatchers> = Name extends keyof StoredMatchers
  ? StoredMatchers[Name]
  : Name extends "toMatchBaseline"
    ? (this: UsedWithoutNot, ...args: Parameters<BaselineMatchers[Name]>) => Promise<void>
    : BaselineMatchers[Name];

/** `expect(…)` itself: the matchers behind its `.not` have no `not`. */
interface UsedWithoutNot {
  readonly not: unknown;
}

/** The matchers of any value. */
interface ValueMatchers extends Pick<BaselineMatchers, ValueName> {
  toMatchBaseline(this: UsedWithoutNot, options?: MatchValueOptions): Promise<void>;
}

type Given<Name extends keyof BaselineMatchers> = Parameters<BaselineMatchers[Name]>;

/** The matchers over the stored baselines of a step. */
type StoredMatchers = {
  [Name in Exclude<StoredName, "toMatchBaseline">]: (this: UsedWithoutNot, ...args: Given<Name>) => Promise<void>;
};

/** First arguments of a step's run. */
interface RunOn<Input, Adapters> {
  readonly input: Input;
  readonly adapters?: Adapters;
}

type OnRun<Options extends TrajectoryOptions, Input, Adapters> = Omit<Options, "input" | "adapters"> &
  RunOn<Input, Adapters>;

/** The matchers of a step that take its input or its adapters. */
interface StepMatchers<Input, Output extends object, Adapters extends BaseAdapters> {
  toMatchBaseline(this: UsedWithoutNot, options: MatchStepOptions<Input, Adapters, Output>): Promise<void>;
  toRecomputeClean(this: UsedWithoutNot, options?: RecomputeCleanOptions<Adapters>): Promise<void>;
  toBePure(this: UsedWithoutNot, options?: PureOptions<Input, Adapters>): Promise<void>;
  toCall(target: string | CallTarget, request: unknown, options: OnRun<ToCallOptions, Input, Adapters>): Promise<void>;
  toCallInOrder(
    ...targets: readonly [
      ...targets: readonly (string | CallTarget)[],
      options: OnRun<TrajectoryOptions, Input, Adapters>,
    ]
  ): Promise<void>;
  toFollowTrajectory(
    reference: readonly ReferenceCall[],
    options: OnRun<FollowOptions, Input, Adapters>,
  ): Promise<void>;
  toStayWithin(budget: Budget, options: OnRun<TrajectoryOptions, Input, Adapters>): Promise<void>;
}

/** The adapters of all steps of a workflow together. */
type AdaptersOf<Steps extends WorkflowSteps> = BaseAdapters &
  ({ [Name in keyof Steps]: (needed: AdaptersOfStep<Steps[Name]>) => void }[keyof Steps] extends (
    needed: infer All,
  ) => void
    ? All
    : never);

type AdaptersOfStep<S> = S extends Step<infer _I, infer _O, infer Adapters, infer _P> ? Adapters : never;

/** Matchers for a workflow, with types for the input of its first step and the adapters of all its steps. */
interface WorkflowMatchers<Steps extends WorkflowSteps> {
  toMatchBaseline<Start extends keyof Steps & string = keyof Steps & string>(
    this: UsedWithoutNot,
    options: Omit<MatchStepOptions<StepInput<Steps[Start]>, AdaptersOf<Steps>>, "start"> & { readonly start?: Start },
  ): Promise<void>;
  toRecomputeClean(this: UsedWithoutNot, options?: RecomputeCleanOptions<AdaptersOf<Steps>>): Promise<void>;
}
