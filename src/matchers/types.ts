import type { KeyBy, KeyFn } from "../kernel/diff/compare-rules.ts";
import type { Command } from "../kernel/step/command.ts";
import type { Workflow } from "../kernel/step/define-workflow.ts";
import type { ExpectedName } from "./expected-values.ts";
import type { PureOptions } from "./to-be-pure.ts";
import type { MatchBaselineOptions } from "./to-match-baseline.ts";
import type { RecomputeCleanOptions } from "./to-recompute-clean.ts";
import type { ReplayOptions } from "./to-replay.ts";
import type { Budget } from "./to-stay-within.ts";
import type { FollowOptions, ReferenceCall, ToCallOptions, TrajectoryOptions } from "./trajectory-matchers.ts";

/** A tool, or a function wrapped by `recordTools`. */
export type CallTarget = (...args: never[]) => unknown;

/** The matchers that the core adds to `expect`, as their callers see them. */
export interface CoreMatchers {
  /** Captures a baseline the first time and compares with it from then on. Must be awaited. */
  toMatchBaseline(options?: MatchBaselineOptions): Promise<void>;
  /** Recomputes every stored baseline of the step next to this test file. Must be awaited. */
  toRecomputeClean(options?: RecomputeCleanOptions): Promise<void>;
  /** Replays every stored baseline of the step from its recorded calls, byte by byte. Must be awaited. */
  toReplay(options?: ReplayOptions): Promise<void>;
  /** The step takes time, random numbers and the network from its adapters alone. Must be awaited. */
  toBePure(options?: PureOptions): Promise<void>;
  /** The result is a success. */
  toBeOk(): void;
  /** The result failed with this code. */
  toFailWith(code: string, options?: FailWithOptions): void;
  /** The result has an event of this type, with an equal payload if one is given. */
  toEmitEvent(type: ExpectedName, payload?: unknown): void;
  /** The result's commands are exactly these, in any order. */
  toCommand(...commands: readonly (Command | AsymmetricMatcher | RegExp | ((command: Command) => boolean))[]): void;
  /** The result schedules this step, with an equal input if one is given. */
  toInvoke(step: ExpectedName, input?: unknown): void;
  /** The result is blocked until a human decides or data arrives. */
  toBlockOn(type: "review" | "suspend"): void;
  /** The result's commands are well-formed and, with a workflow, fit its steps. Must be awaited. */
  toHaveValidCommands(workflow?: Pick<Workflow, "name" | "steps">): Promise<void>;
  /** The values are equal up to the order of keyed arrays. */
  toEqualByKey(expected: unknown, keyBy: KeyBy | KeyFn): void;
  /** The step, run on this input, called this adapter or tool, with an equal request where one is given. Await it. */
  toCall(target: ExpectedName | CallTarget, request: unknown, options: ToCallOptions & GivenInput): Promise<void>;
  /** The recorded step called this adapter or tool, with an equal request where one is given. */
  toCall(target: ExpectedName | CallTarget, request?: unknown, options?: ToCallOptions): void;
  /** The step, run on the input that comes last, called these adapters or tools one after the other. Await it. */
  toCallInOrder(
    ...targets: readonly [...targets: readonly (ExpectedName | CallTarget)[], options: TrajectoryOptions & GivenInput]
  ): Promise<void>;
  /** The recorded step called these adapters or tools one after the other; options may come last. */
  toCallInOrder(...targets: readonly (ExpectedName | CallTarget | TrajectoryOptions)[]): void;
  /** The calls of a step, run on this input, follow a reference. Await it. */
  toFollowTrajectory(reference: readonly ReferenceCall[], options: FollowOptions & GivenInput): Promise<void>;
  /** The recorded calls follow a reference: the same, the same in any order, no others, or at least these. */
  toFollowTrajectory(reference: readonly ReferenceCall[], options?: FollowOptions): void;
  /** The step, run on this input, costs no more than this. Await it. */
  toStayWithin(budget: Budget, options: TrajectoryOptions & GivenInput): Promise<void>;
  /** The calls of a result or a recording cost no more than this. */
  toStayWithin(budget: Budget, options?: TrajectoryOptions): void;
}

/** Further expectations of a failure. */
interface FailWithOptions {
  /** True if a retry may help. Default: either. */
  readonly retryable?: boolean;
}

/** Given to `expect`, a step is run on it first. */
interface GivenInput {
  readonly input: unknown;
}

/** Return value of `expect.objectContaining` and the like, in both runners. */
export interface AsymmetricMatcher {
  asymmetricMatch(other: unknown): boolean;
}
