import type { ExpectedName } from "./expected-values.ts";
import type * as syncMatchers from "./sync-matchers.ts";
import type * as valueMatchers from "./value-matchers.ts";
import type { MatcherContext } from "./matcher-context.ts";
import type { StoredOptions } from "./stored-matchers.ts";
import type { Budget } from "../check/run/costs.ts";
import type { FollowOptions, ReferenceCall, ToCallOptions, TrajectoryOptions } from "./trajectory-matchers.ts";

/** A tool, or a function wrapped by `recordTools`. */
export type CallTarget = (...args: never[]) => unknown;

/** Matchers with these options, as their callers see them. */
export type StoredCallers<Options> = { [Name in keyof Options]: (options?: Options[Name]) => Promise<void> };

/** Functions of a table of matchers without baselines, as the callers of these matchers see them. */
type SyncCallers<Table> = {
  [Name in keyof Table as Exclude<Name, keyof RecordedMatchers>]: Table[Name] extends (
    this: MatcherContext,
    received: unknown,
    ...parameters: infer Given extends readonly unknown[]
  ) => infer Returned
    ? (...parameters: Given) => Returned extends Promise<unknown> ? Promise<void> : void
    : never;
};

/** The matchers that the core adds to `expect`, as their callers see them. */
export interface CoreMatchers
  extends StoredCallers<StoredOptions>,
    SyncCallers<typeof syncMatchers>,
    RecordedMatchers {}

/** Names of the matchers of any value that need no baseline. */
export type ValueName = keyof typeof valueMatchers;

/** Matchers whose type depends on what `expect` was given: a promise for a step, which is run first. */
interface RecordedMatchers {
  /**
   * Checks that the step calls this adapter or tool for `input`. If you pass a request, it must be equal. Await it.
   *
   * @example
   * await expect(agent).toCall("tools.refund", expect.anything(), { times: 1, input, adapters });
   */
  toCall(target: ExpectedName | CallTarget, request: unknown, options: ToCallOptions & GivenInput): Promise<void>;
  /**
   * Checks that the recorded step called this adapter or tool. If you pass a request, it must be equal.
   *
   * @example
   * expect(recording).toCall("tools.lookup", { city: "Oslo" });
   */
  toCall(target: ExpectedName | CallTarget, request?: unknown, options?: ToCallOptions): void;
  /**
   * Checks that the step calls these adapters or tools in this order for `input`. Options come last. Await it.
   *
   * @example
   * await expect(agent).toCallInOrder("tools.lookup", "tools.reserve", { input, adapters });
   */
  toCallInOrder(
    ...targets: readonly [...targets: readonly (ExpectedName | CallTarget)[], options: TrajectoryOptions & GivenInput]
  ): Promise<void>;
  /**
   * Checks that the recorded step called these adapters or tools in this order. Options can come last.
   *
   * @example
   * expect(recording).toCallInOrder("tools.lookup", "tools.reserve", "tools.charge");
   */
  toCallInOrder(...targets: readonly (ExpectedName | CallTarget | TrajectoryOptions)[]): void;
  /**
   * Checks that the calls of the step for `input` match the expected calls. Await it.
   *
   * @example
   * await expect(agent).toFollowTrajectory(["tools.lookup", "tools.reserve"], { match: "superset", input, adapters });
   */
  toFollowTrajectory(reference: readonly ReferenceCall[], options: FollowOptions & GivenInput): Promise<void>;
  /**
   * Checks that the recorded calls match the expected calls. `match` sets how: the same calls in order (default), in
   * any order, no other calls, or at least these calls.
   *
   * @example
   * expect(recording).toFollowTrajectory(["tools.lookup", { call: "tools.reserve", request: { seats: 2 } }]);
   */
  toFollowTrajectory(reference: readonly ReferenceCall[], options?: FollowOptions): void;
  /**
   * Checks that the run of the step for `input` stays within this budget. Await it.
   *
   * @example
   * await expect(agent).toStayWithin({ maxTurns: 4, maxToolCalls: 6 }, { input, adapters });
   */
  toStayWithin(budget: Budget, options: TrajectoryOptions & GivenInput): Promise<void>;
  /**
   * Checks that the calls of a result or a recording stay within this budget.
   *
   * @example
   * expect(result).toStayWithin({ maxTokens: 2_000, maxCalls: 1 });
   */
  toStayWithin(budget: Budget, options?: TrajectoryOptions): void;
}

/** Input of a step that `expect` got: the step runs on it first. */
interface GivenInput {
  readonly input: unknown;
}
