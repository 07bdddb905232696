import { type StoredMatcher, type WorkflowStep, sessionMatcher } from "./baseline-matcher.ts";
import * as syncMatchers from "./sync-matchers.ts";
import type { AsyncMatcher, MatcherContext } from "./matcher-context.ts";
import { loadCheckEntry } from "./lazy/load-check-entry.ts";
import { STORED_MATCHERS } from "./stored-matchers.ts";
import type { RunInSession } from "./test-session.ts";

/** Parts of matchers that extras bring; an entry hands them in, because the core imports no extra. */
export interface ExtraMatchers {
  /** Matchers by name. They take a workflow as it is. */
  readonly matchers: Readonly<Record<string, StoredMatcher<object>>>;
  /** Converts a workflow to one step that runs the complete workflow. */
  readonly workflowStep: WorkflowStep;
}

/**
 * All matchers, as `expect.extend` takes them: those of the tables `STORED_MATCHERS` and `sync-matchers.ts`, and
 * those of the extras. The stored ones run within the session of the calling test.
 */
export function createMatchers(runInSession: RunInSession, { matchers, workflowStep }: ExtraMatchers): object {
  const stored: Record<string, AsyncMatcher<object>> = {};
  const ofCore: ExtraMatchers["matchers"] = { ...STORED_MATCHERS };
  for (const [name, row] of Object.entries(matchers)) stored[name] = sessionMatcher(name, { runInSession, ...row });
  for (const [name, row] of Object.entries(ofCore))
    stored[name] = sessionMatcher(name, { runInSession, asStep: workflowStep, ...row });
  const all = Object.entries({ ...stored, ...syncMatchers, ...recordingMatchers(runInSession) });
  return Object.fromEntries(all.map(([name, matcher]) => [name, withCallSite(matcher)]));
}

/** A function of `expect.extend`. */
type AnyMatcher = (this: MatcherContext, ...values: never) => unknown;

/**
 * Returns a matcher whose own errors, such as that of a misspelt option, have the stack of its call: the runner then
 * shows the line of the test. Errors of the user's code keep their stack.
 */
function withCallSite(matcher: AnyMatcher): AnyMatcher {
  return function called(this: MatcherContext, ...values: never): unknown {
    const site = { stack: "" };
    Error.captureStackTrace(site, called);
    const fail = (thrown: unknown): never => {
      if (thrown instanceof Error && OWN_CODE.test(/\n\s+at .*/.exec(thrown.stack ?? "")?.[0] ?? ""))
        thrown.stack = `${String(thrown)}\n${site.stack.replace(/^.*\n/, "")}`;
      throw thrown;
    };
    try {
      const result: unknown = Reflect.apply(matcher, this, values);
      return result instanceof Promise ? result.catch(fail) : result;
    } catch (thrown) {
      return fail(thrown);
    }
  };
}

/** Location of veritest's installed code in a stack. */
const OWN_CODE = /[\\/]node_modules[\\/]veritest[\\/]dist[\\/]/;

/** Matchers of recorded calls. They take a step, too, and run it in the session of the calling test. */
const { toCall, toCallInOrder, toFollowTrajectory, toStayWithin } = syncMatchers;
const RECORDING_MATCHERS: Readonly<Record<string, (this: MatcherContext, ...values: never) => unknown>> = {
  toCall,
  toCallInOrder,
  toFollowTrajectory,
  toStayWithin,
};

function recordingMatchers(runInSession: RunInSession): object {
  const withSession = (context: MatcherContext): MatcherContext => {
    const recordStep: MatcherContext["recordStep"] = async (run) =>
      runInSession(context, run.matcher, async (session) => (await loadCheckEntry()).recordInSession(run, session));
    return inheriting(context, { recordStep });
  };
  return Object.fromEntries(
    Object.entries(RECORDING_MATCHERS).map(([name, matcher]) => [
      name,
      function (this: MatcherContext, ...values: readonly unknown[]): unknown {
        return Reflect.apply(matcher, withSession(this), values);
      },
    ]),
  );
}

/** Returns an object with these fields and all others of the runner's context, which stays unchanged. */
function inheriting(context: MatcherContext, own: Pick<MatcherContext, "recordStep">): MatcherContext;
function inheriting(context: object, own: object): object {
  Object.setPrototypeOf(own, context);
  return own;
}
