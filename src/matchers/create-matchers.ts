import { type StoredMatcher, type WorkflowStep, sessionMatcher } from "./baseline-matcher.ts";
import * as syncMatchers from "./sync-matchers.ts";
import type { AsyncMatcher } from "./matcher-context.ts";
import { STORED_MATCHERS } from "./stored-matchers.ts";
import type { RunInSession } from "./test-session.ts";

/** Parts of matchers that extras bring; an entry hands them in, because the core imports no extra. */
export interface ExtraMatchers {
  /** Matchers by name. They take a workflow as it is. */
  readonly matchers: Readonly<Record<string, StoredMatcher<object>>>;
  /** Turns a workflow into one step that runs all of it. */
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
  return { ...stored, ...syncMatchers };
}
