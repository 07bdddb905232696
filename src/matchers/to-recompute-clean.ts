import { displayPath, openLibrary } from "../baseline/library.ts";
import { join } from "node:path";
import { groupDirectory } from "../baseline/names.ts";
import { checkRecompute } from "../check/check-recompute.ts";
import type { BaseAdapters } from "../step/context.ts";
import { checkAll } from "./check-all.ts";
import type { MatcherCall } from "./baseline-matcher.ts";
import type { MatcherAnswer } from "./context.ts";
import { type CaseFilter, describeFilter, filterCases } from "./filter-cases.ts";
import { isStep, wrongReceived } from "./received.ts";
import { settleCheck } from "./settle-check.ts";
import { explainFailures, explainNone } from "./words.ts";

/** Options of `toRecomputeClean`. */
export interface RecomputeCleanOptions extends CaseFilter {
  /** Today's adapters. Without them every recorded call is served from its baseline, and nothing outside is touched. */
  readonly adapters?: BaseAdapters;
  /** Parse inputs and observe outputs with the step's schemas. Default true. */
  readonly validate?: boolean;
  /** Check outputs against the whole output schema instead of the partial one. Default false. */
  readonly strictOutput?: boolean;
  /** How many baselines are recomputed at a time. Default 1, so that adapters with state see one order. */
  readonly concurrency?: number;
}

/**
 * Recomputes every stored baseline of the step beside this test file and fails when one comes out differently.
 *
 * @example
 * await expect(extractReceipt).toRecomputeClean();             // recorded answers: did the code change anything?
 * await expect(extractReceipt).toRecomputeClean({ adapters }); // live: did prompt or model change anything?
 */
export async function toRecomputeClean({
  received,
  options = {},
  session,
  utils,
}: MatcherCall<RecomputeCleanOptions>): Promise<MatcherAnswer> {
  if (!isStep(received)) throw wrongReceived("toRecomputeClean", "a step made by defineStep", received);
  const { root, mode } = session;
  const library = openLibrary(root, session.staged);
  const cases = filterCases(library.all(received.name), options);
  if (cases.length === 0) return noCases(received.name, { root, mode, options });
  const { adapters, validate, strictOutput, concurrency = 1 } = options;
  const checks = await checkAll(cases, concurrency, (stored) => checkRecompute(received, stored, { root, adapters, validate, strictOutput }));
  const settled = checks.map((check) => settleCheck(check, session));
  const how = adapters === undefined ? "recompute with recorded calls" : "recompute with live adapters";
  const report = { subject: received.name, how, settled, mode, updatable: true, utils };
  return { pass: settled.every(({ pass }) => pass), message: () => explainFailures(report) };
}

/** The answer where a sweep finds nothing: a sweep that checks nothing must not pass. */
export function noCases(
  step: string,
  { root, mode, options }: { readonly root: string; readonly mode: Parameters<typeof explainNone>[0]["mode"]; readonly options: CaseFilter },
): MatcherAnswer {
  const directory = `${displayPath(join(root, groupDirectory(step)))}/`;
  return { pass: false, message: () => explainNone({ subject: step, directory, chosen: describeFilter(options), mode }) };
}
