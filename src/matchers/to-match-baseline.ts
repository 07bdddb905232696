import { basename, dirname } from "node:path";
import type { CallScope } from "../kernel/call-role.ts";
import type { CompareBy, KeyBy } from "../kernel/diff/compare-rules.ts";
import { refuseUnknownOptions } from "../kernel/did-you-mean.ts";
import { type BaselineMeta, snapshotOf } from "../baseline/baseline.ts";
import { labelOfCase } from "../baseline/baseline-paths.ts";
import { openLibrary } from "../baseline/baseline-library.ts";
import { type TestMode, responsePlan } from "../check/run/adapter-mode.ts";
import type { Budget } from "../check/run/costs.ts";
import { CHECK_RUN_ID, type Case, type Check, failedNewCase } from "../check/check.ts";
import { isPassing } from "../check/update/stage-update.ts";
import { hashValueSync } from "../kernel/json/hash.ts";
import { listNames } from "../kernel/files/read.ts";
import { isPlainObject } from "../kernel/json/plain-data.ts";
import { err } from "../kernel/result.ts";
import { checkStepResult } from "../check/check-step-result.ts";
import { checkValue } from "../check/check-value.ts";
import { findCase } from "../check/find-case.ts";
import { CHECK_RULES, type CheckRules, withCheckRules } from "../redact/check-rules.ts";
import type { WorkflowStepOptions } from "../kernel/step/whole-run.ts";
import { liveForm, liveItems } from "../record/encode/decode.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import type { BaseAdapters } from "../kernel/step/context.ts";
import { kernelError } from "../kernel/step/fail.ts";
import { type AnyStep, isStep } from "../kernel/step/define-step.ts";
import { matcherResultOf, checkOptionsOf, checkAndExplain, stageUpdates } from "./check-in-session.ts";
import { modeOf, needsLiveMode, sourceText } from "./matcher-mode.ts";
import type { MatcherCall } from "./baseline-matcher.ts";
import type { MatcherResult } from "./matcher-context.ts";
import { type StepResult, rememberStep } from "../kernel/step/step-result.ts";
import { foundWords, readResult, wrongReceived } from "./received.ts";
import type { TestSession } from "./test-session.ts";
import { rerunCommand } from "../explain/rerun-command.ts";

/** Name of a case, and labels and metadata to select it by. */
interface CaseOptions extends Pick<CheckRules, "hashOnly"> {
  /** Name that identifies the case, even if its input changes. Without a name, the input identifies the case. */
  readonly name?: string;
  /** Labels of the case, to select it in other checks and in commands. */
  readonly labels?: readonly string[];
  /** Metadata of the case, to select it in other checks and in commands: `{ customer: "acme" }`. */
  readonly meta?: BaselineMeta;
  /** Tolerated differences of the output, by dot path, instead of the step's own rules. */
  readonly compare?: CompareBy;
}

/** Recorded run of a baseline. */
export interface RecordedRun<Input = unknown, Output extends object = object> {
  readonly result: StepResult<Input, Output>;
  /** Requests of the step to its adapters, with their responses, in order. */
  readonly calls: readonly AdapterCall[];
}

/** Options for `toMatchBaseline` with a step: its input, adapters and mode. */
export interface MatchStepOptions<
  Input = unknown,
  Adapters extends BaseAdapters = BaseAdapters,
  Output extends object = object,
> extends CaseOptions,
    CheckRules,
    WorkflowStepOptions {
  /** Input of the step. */
  readonly input: Input;
  /** Adapters to call. veritest calls them to capture a new case, or if `mode` is live. A stored case is replayed. */
  readonly adapters?: Adapters;
  /**
   * Source of adapter responses: one mode, or one for each adapter (`{ llm: "replay", tools: "live" }`). `scripted`
   * replays the responses in order and ignores the requests. Default: `replay`. With `-u`, a case with an unrecorded
   * request runs live.
   */
  readonly mode?: TestMode;
  /** Validate inputs and outputs with the step's schemas. Default: true. */
  readonly validate?: boolean;
  /** Require all output fields of a `partial` step. Has no effect on a workflow. Default: false. */
  readonly strictOutput?: boolean;
  /**
   * Limits of one run. The number of model calls is always checked. Tokens, time and cost are only checked in live
   * runs.
   */
  readonly budget?: Budget;
  /** Calls to compare: reads and writes, only writes, or none. Default: the step's own setting, or all. */
  readonly calls?: CallScope;
  /** Fail a live check that sends an unrecorded request, even with the same result. Default: the project's setting. */
  readonly strictRequests?: boolean;
  /** Set to `"run"` to execute writes in live runs. By default, veritest skips writes and uses the recorded results. */
  readonly effects?: "run";
  /**
   * Function with more assertions on the recorded run. It's called when the run matches, also in CI. If it throws, the
   * test fails.
   */
  readonly assert?: (recorded: RecordedRun<Input, Output>) => void | Promise<void>;
  readonly keyBy?: never;
}

/** Options for `toMatchBaseline` with a result or a JSON value. A JSON value needs a `name`. */
export interface MatchValueOptions extends CaseOptions {
  /** Keys of array elements, by dot path. Default: for a result, the `keyBy` of its step. */
  readonly keyBy?: KeyBy;
  readonly input?: never;
  readonly adapters?: never;
  readonly mode?: never;
  readonly ignore?: never;
  readonly matchHeaders?: never;
  readonly normalizeRequest?: never;
  readonly budget?: never;
  readonly assert?: never;
  readonly start?: never;
  readonly resolve?: never;
  readonly runsBy?: never;
}

/** Options for `toMatchBaseline`: for a step or for a plain value. */
export type MatchBaselineOptions = MatchStepOptions | MatchValueOptions;

/**
 * Captures a baseline in the first run, and compares later runs with it. The value is a step or workflow with an input,
 * a step's result, or any JSON value.
 *
 * @example
 * await expect(extractReceipt).toMatchBaseline({ input, adapters });
 * await expect(readReceipt).toMatchBaseline({ input, assert: ({ result }) => expect(result.output.total).toBe(14.5) });
 * await expect(claims).toMatchBaseline({ input, adapters, resolve: { review: "approve" } });
 * await expect(result).toMatchBaseline({ name: "march receipt" });
 * await expect(summary).toMatchBaseline({ name: "summary", keyBy: { claims: "id" } });
 */
export async function toMatchBaseline(call: MatcherCall<MatchBaselineOptions>): Promise<MatcherResult> {
  const { session, utils, options = {} } = call;
  refuseUnknownOptions("toMatchBaseline", options, Object.keys(OPTIONS));
  return withCheckRules(options, async () => {
    const { check, subject, how, given: hasAdapters, needsLiveMode: isReplayOnly = false } = await startCheck(call);
    // Asked before this check may write it.
    const written = new Set(session.staged.has(check.path) ? [check.path] : []);
    const rerunName = hasAdapters === true && !isReplayOnly ? call.context.currentTestName : undefined;
    const applied = await stageUpdates([check], session, rerunName);
    if (applied.every(isPassing) && options.assert !== undefined) await options.assert(recordedRun(call, options));
    const { testFile, testName } = session;
    const rerun = (): string => rerunCommand(call.context, { testFile, testName, needsLiveMode: isReplayOnly });
    return matcherResultOf({
      subject,
      how,
      checks: applied,
      mode: session.mode,
      updatable: true,
      session,
      utils,
      rerun,
      given: hasAdapters,
      written,
    });
  });
}

const OPTIONS: Readonly<Record<keyof MatchStepOptions, true>> = {
  name: true,
  labels: true,
  meta: true,
  compare: true,
  input: true,
  adapters: true,
  mode: true,
  validate: true,
  strictOutput: true,
  budget: true,
  calls: true,
  strictRequests: true,
  effects: true,
  assert: true,
  keyBy: true,
  ...CHECK_RULES,
  start: true,
  resolve: true,
  runsBy: true,
};

/** Returns the stored run of the case once it passed; an update that this test stages counts as stored. */
function recordedRun({ received, session }: MatcherCall<MatchBaselineOptions>, options: MatchStepOptions): RecordedRun {
  if (!isStep(received)) throw wrongReceived("toMatchBaseline: assert", "a step or a workflow", received);
  const loaded = caseOf(received, options, session);
  const baseline = loaded.ok ? loaded.value.stored?.baseline : undefined;
  if (baseline?.ok !== true || baseline.value.kind !== "step")
    throw new Error(
      `toMatchBaseline: assert needs a stored run of "${received.name}", but its baseline isn't stored. ` +
        "Run the test without assert first, which captures the case.",
    );
  const { input, calls, step, workflow } = baseline.value;
  const output = liveForm(baseline.value.output);
  const [events, commands] = [liveItems(baseline.value.events), liveItems(baseline.value.commands)];
  const run = { stepName: step, workflowId: workflow.id, workflowVersion: workflow.version, runId: CHECK_RUN_ID };
  const { artifacts } = snapshotOf(baseline.value);
  const result = { input, output: isPlainObject(output) ? output : {}, events, commands, artifacts, ...run };
  return { result: rememberStep(result, received), calls };
}

interface StartedCheck {
  readonly check: Check;
  readonly subject: string;
  readonly how: string;
  /** True if live adapters are available. */
  readonly given?: boolean;
  /** True if -u alone doesn't call them. */
  readonly needsLiveMode?: boolean;
}

async function startCheck({
  received,
  options = {},
  session,
}: MatcherCall<MatchBaselineOptions>): Promise<StartedCheck> {
  if (isStep(received)) return checkStep(received, options, session);
  const library = openLibrary(session.root, session.staged);
  const { name, labels, meta, keyBy, compare } = options;
  const details = { name, labels, meta };
  const read = readResult(received);
  switch (read.kind) {
    case "result": {
      const question = { details, keyBy, compare, label: session.testName };
      const { result } = read;
      const check = await session.traceCheck(result.stepName, () => checkStepResult(result, question, library));
      return { check, subject: read.result.stepName, how: "result" };
    }
    case "error": {
      const check = failedNewCase({ file: "(no result)", path: session.root }, read.error);
      return { check, subject: "the step", how: "result" };
    }
    case "neither": {
      if (name === undefined && (options.input !== undefined || options.adapters !== undefined))
        throw wrongReceived("toMatchBaseline", "a step or a workflow with its input", received);
      if (name === undefined || name.trim() === "")
        throw new TypeError(
          `toMatchBaseline needs a name for a value: toMatchBaseline({ name: "…" }). Got ${foundWords(received)}.`,
        );
      const hidesStoredSecrets = session.mode === "all";
      const question = {
        test: session.testFile,
        details: { ...details, name },
        keyBy: keyBy ?? {},
        compare,
        hidesStoredSecrets,
      };
      const check = await session.traceCheck(name, () => checkValue(received, question, library));
      return { check, subject: name, how: "value" };
    }
  }
}

async function checkStep(step: AnyStep, options: MatchBaselineOptions, session: TestSession): Promise<StartedCheck> {
  if (options.keyBy !== undefined)
    throw new TypeError(
      `toMatchBaseline doesn't accept keyBy for step "${step.name}". Set it on the step: defineStep({ keyBy }).`,
    );
  if (!isStepOptions(options)) {
    throw new TypeError(
      `toMatchBaseline needs an input to run step "${step.name}" on: toMatchBaseline({ input, adapters }).`,
    );
  }
  const { adapters } = options;
  const demands = checkOptionsOf("toMatchBaseline", options);
  const chosen = modeOf(options, session);
  const { mode, isExplicit, perAdapter } = chosen;
  const result = claimedCase(step, options, session);
  const writes = session.mode !== "none";
  const isLive = isExplicit ? mode !== "replay" : !session.isCi;
  const capture = { responses: responsePlan(isLive ? "live" : "replay", adapters), reviewOnly: !writes };
  const check = result.ok
    ? await checkAndExplain(session, result.value, {
        root: session.root,
        responses: responsePlan(mode, adapters, perAdapter),
        ...demands,
        capture: writes || session.keepsPending || replacesOther(result.value) ? capture : undefined,
      })
    : result.error;
  return {
    check,
    subject: step.name,
    how: sourceText(check.findings.source, chosen),
    given: adapters !== undefined,
    needsLiveMode: needsLiveMode(chosen),
  };
}

/** Returns true if a new case may replace one of another input: then it runs, also if this run writes nothing. */
function replacesOther({ path, stored }: Case): boolean {
  const label = labelOfCase(basename(path));
  return stored === undefined && listNames(dirname(path)).some((name) => labelOfCase(name) === label);
}

/** The case of an input; a failed check if another input of this test file differs from it in secrets alone. */
function claimedCase(step: AnyStep, options: MatchStepOptions, session: TestSession): ReturnType<typeof findCase> {
  const result = caseOf(step, options, session);
  if (!result.ok || options.name !== undefined) return result;
  const { file, path, input } = result.value;
  if (input?.isHidden !== true || session.claimCase(path, hashValueSync(input.value))) return result;
  const shared = `Two inputs of step "${step.name}" differ only in their redacted secrets, so they count as one case.`;
  const error = kernelError("ambiguous_case", `${shared} Name each: toMatchBaseline({ name: "…", input }).`);
  return err(failedNewCase({ file, path }, error));
}

function caseOf(
  step: AnyStep,
  { input, name, labels, meta }: MatchStepOptions,
  { testName, root, staged }: TestSession,
): ReturnType<typeof findCase> {
  return findCase(step, { input, details: { name, labels, meta }, label: testName }, openLibrary(root, staged));
}

function isStepOptions(options: MatchBaselineOptions): options is MatchStepOptions {
  return "input" in options;
}
