import type { AsyncMatcher, MatcherResult, MatcherContext, MatcherUtils } from "./matcher-context.ts";
import type { WorkflowStepOptions } from "../kernel/step/whole-run.ts";
import type { AnyStep } from "../kernel/step/define-step.ts";
import { type Workflow, isWorkflow } from "../kernel/step/define-workflow.ts";
import type { RunInSession, TestSession } from "./test-session.ts";

/** A call of a baseline matcher, once the calling test is known. */
export interface MatcherCall<Options> {
  readonly received: unknown;
  readonly options: Options | undefined;
  readonly session: TestSession;
  readonly utils: MatcherUtils;
  /** Matcher context from the runner. */
  readonly context: MatcherContext;
}

/** Check of a baseline matcher. */
export type BaselineCheck<Options> = (call: MatcherCall<Options>) => Promise<MatcherResult>;

/** Turns a workflow into one step that runs all of it. */
export type WorkflowStep = (workflow: Workflow, options: WorkflowStepOptions | undefined) => Promise<AnyStep>;

/** A matcher over stored baselines: its row in the table of the core, or of an extra. */
export interface StoredMatcher<Options> {
  readonly load: () => Promise<BaselineCheck<Options>>;
  /**
   * Loads the check of the usual case, which returns undefined if it can't decide; absent if the matcher has no such
   * case.
   */
  readonly loadUsual?: () => Promise<(call: MatcherCall<Options>) => MatcherResult | undefined>;
}

/** Context of a matcher, and the loader of its check. */
interface Frame<Options> extends StoredMatcher<Options> {
  readonly runInSession: RunInSession;
  /** Turns a workflow into the step that the check gets; absent if the check accepts workflows. */
  readonly asStep?: (workflow: Workflow, options: Options | undefined) => Promise<AnyStep>;
}

/**
 * The frame of a matcher over baseline files: refuses `.not`, binds the call to its test at once, so that a missing
 * await is noticed, and only then loads the check. A test file that uses none of them must not pay for any.
 */
export function sessionMatcher<Options>(
  name: string,
  { runInSession, load, loadUsual, asStep }: Frame<Options>,
): AsyncMatcher<Options> {
  let usual: ((call: MatcherCall<Options>) => MatcherResult | undefined) | undefined;
  let loaded: BaselineCheck<Options> | undefined;
  return async function (this: MatcherContext, received, options) {
    if (this.isNot === true) throw new Error(explainNot(name));
    const { utils } = this;
    return runInSession(this, name, async (session) => {
      const call = { received, options, session, utils, context: this };
      // Cached: under Vitest each `import()` of a loaded module still costs as much as reading a baseline.
      usual ??= await loadUsual?.();
      const answer = usual?.(call);
      if (answer !== undefined) return answer;
      loaded ??= await load();
      const subject = asStep !== undefined && isWorkflow(received) ? await asStep(received, options) : received;
      return loaded({ ...call, received: subject });
    });
  };
}

function explainNot(matcher: string): string {
  if (matcher === "toBePure") return "toBePure can't be used with .not. If the step may vary, remove the assertion.";
  const instead = 'Assert the difference itself, e.g. expect(result.value.output.total).not.toBe("9.00").';
  const reason = "a baseline describes an expected result, not an unexpected one";
  return `${matcher} can't be used with .not: ${reason}. ${instead}`;
}
