import { messageOf } from "../kernel/error-message.ts";
import { refuseUnknownOptions } from "../kernel/did-you-mean.ts";
import { escapeText } from "../kernel/text.ts";
import { type StoredCase, displayPath, openLibrary } from "../baseline/baseline-library.ts";
import type { AdapterMode } from "../check/run/adapter-mode.ts";
import { checkWithoutCause } from "../check/check-case.ts";
import { caseOfStored } from "../check/find-case.ts";
import { redactedError } from "../check/verdict.ts";
import { CHECK_RULES, type CheckRules, withCheckRules } from "../redact/check-rules.ts";
import { type PurityUse, watchPurity } from "../record/watch-purity.ts";
import type { WorkflowStepOptions } from "../kernel/step/whole-run.ts";
import type { BaseAdapters } from "../kernel/step/context.ts";
import { type AnyStep, isStep } from "../kernel/step/define-step.ts";
import type { MatcherCall } from "./baseline-matcher.ts";
import type { MatcherResult } from "./matcher-context.ts";
import { recordInSession } from "./record-in-session.ts";
import type { TestSession } from "./test-session.ts";
import { CASE_FILTER, type CaseFilter, filterCases } from "./filter-cases.ts";
import { noCases } from "./failure-message.ts";
import { wrongReceived } from "./received.ts";
import { errorText } from "./matcher-text.ts";
import { atMost, bounded } from "./matcher-text.ts";

/** Options for `toBePure`: an input to run the step on, or a selection of stored baselines. */
export type PureOptions<Input = unknown, Adapters extends BaseAdapters = BaseAdapters> = CheckRules &
  WorkflowStepOptions &
  (
    | {
        /** Input of the step. Default: the inputs of its stored baselines, with their recorded responses. */
        readonly input: Input;
        /** Adapters to call for an input without a baseline (not in CI), or if `VERITEST_MODE` is live. */
        readonly adapters?: Adapters;
        /** Source of adapter responses. Default: `replay`. With `-u`, a case with an unrecorded request runs live. */
        readonly mode?: AdapterMode;
      }
    | (CaseFilter & { readonly input?: never; readonly adapters?: never; readonly mode?: never })
  );

/** Uses that are listed before the rest is only counted. */
const MAX_USES = 20;

/**
 * Runs the step, and fails if it uses time, random numbers or the network directly. veritest doesn't record these uses,
 * so a replay can't repeat them. Adapters can use all of them. Without an input, the matcher uses the inputs and
 * recorded calls of the step's baselines.
 */
export async function toBePure(call: MatcherCall<PureOptions>): Promise<MatcherResult> {
  refuseUnknownOptions("toBePure", call.options ?? {}, Object.keys(OPTIONS));
  return withCheckRules(call.options ?? {}, async () => watch(call));
}

const OPTIONS: Readonly<Record<keyof PureOptions | keyof CaseFilter, true>> = {
  input: true,
  adapters: true,
  mode: true,
  ...CASE_FILTER,
  ...CHECK_RULES,
  start: true,
  resolve: true,
  runsBy: true,
};

async function watch({ received, options = {}, session }: MatcherCall<PureOptions>): Promise<MatcherResult> {
  if (!isStep(received)) throw wrongReceived("toBePure", "a step or a workflow", received);
  if ("input" in options) return answer(received, [await watchInput(received, options, session)]);
  const { root, mode } = session;
  const cases = filterCases(openLibrary(root, session.staged).each(received.name), options);
  const watched: Watched[] = [];
  // One after the other: what one run uses must not be taken for another's.
  for (const stored of cases) watched.push(await watchCase(received, stored, root));
  if (watched.length === 0) return noCases({ step: received.name, root, mode, options });
  return answer(received, watched);
}

/** Uses of one run, and its error if it failed: then the rest of the step is unknown. */
interface Watched {
  readonly uses: readonly PurityUse[];
  readonly problem: string | undefined;
}

async function watchInput(
  step: AnyStep,
  { input, adapters, mode }: Pick<PureOptions, "input" | "adapters" | "mode">,
  session: TestSession,
): Promise<Watched> {
  let uses: readonly PurityUse[] = [];
  // Only the step is watched: recording it takes the time, too.
  const watched: AnyStep = {
    ...step,
    run: async (parsed, ctx) => {
      const started = async (): Promise<Awaited<ReturnType<AnyStep["run"]>>> => step.run(parsed, ctx);
      const run = await watchPurity(async () => Promise.allSettled([started()]));
      uses = run.uses;
      const [outcome] = run.value;
      if (outcome.status === "rejected") throw outcome.reason;
      return outcome.value;
    },
  };
  try {
    const known = { input, ...(adapters && { adapters }), ...(mode && { mode }) };
    const request = { matcher: "toBePure", step: watched, options: known };
    const { result } = await recordInSession(request, session);
    return { uses, problem: result.ok ? undefined : errorText(redactedError(result.error)) };
  } catch (thrown) {
    // The used APIs come first: they may be the reason why the step doesn't replay.
    if (uses.length === 0) throw thrown;
    return { uses, problem: messageOf(thrown) };
  }
}

async function watchCase(step: AnyStep, stored: StoredCase, root: string): Promise<Watched> {
  const { value, uses } = await watchPurity(() =>
    checkWithoutCause(caseOfStored(step, stored), { root, responses: { kind: "recorded", hasAdapters: false } }),
  );
  const { verdict } = value;
  switch (verdict.kind) {
    case "broken":
      return { uses, problem: verdict.problem };
    case "failed":
      return { uses, problem: `${stored.file}: ${errorText(verdict.error)}` };
    case "request_changed":
      return { uses, problem: `${stored.file}: the step sends a request that isn't recorded` };
    case "clean":
    case "value_changed":
    case "commands_changed":
    case "calls_changed":
    case "events_changed":
    case "schema_violation":
    case "missing":
    case "obsolete":
      return { uses, problem: undefined };
  }
}

function answer(step: AnyStep, watched: readonly Watched[]): MatcherResult {
  const uses = [
    ...new Set(
      watched.flatMap((run) => run.uses.map(({ api, at }) => `  ${api}${at === "" ? "" : `  ${displayPath(at)}`}`)),
    ),
  ];
  const problems = watched.flatMap(({ problem }) => (problem === undefined ? [] : [`  ${problem}`]));
  const message = (): string => {
    const used =
      uses.length === 0
        ? []
        : [
            "",
            ...atMost(
              uses.map((use) => bounded(escapeText(use))),
              MAX_USES,
            ),
            "",
            "Read it from an adapter (clock, random, ids), so that veritest records and replays it.",
          ];
    const ended =
      problems.length === 0 ? [] : ["", "These runs didn't finish:", ...atMost(problems.map(bounded), MAX_USES)];
    const headline = uses.length === 0 ? "didn't finish, so veritest can't tell if it's pure" : "isn't pure";
    return [escapeText(`${step.name}: ${headline}`), ...used, ...ended].join("\n");
  };
  return { pass: uses.length === 0 && problems.length === 0, message };
}
