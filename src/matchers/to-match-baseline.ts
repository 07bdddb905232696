import type { CallScope } from "../kernel/call-role.ts";
import type { CompareBy, KeyBy } from "../kernel/diff/compare-rules.ts";
import { type BaselineMeta, snapshotOf } from "../baseline/baseline.ts";
import { openLibrary } from "../baseline/baseline-library.ts";
import { type TestMode, responseSource } from "../check/adapter-mode.ts";
import type { Budget } from "../check/costs.ts";
import { CHECK_RUN_ID, type Check, failedNew } from "../check/check.ts";
import { isPassing } from "../check/handle-update.ts";
import { hashValueSync } from "../kernel/json/hash.ts";
import { isPlainObject } from "../kernel/json/plain-data.ts";
import { err } from "../kernel/result.ts";
import { checkResult } from "../check/check-result.ts";
import { checkValue } from "../check/check-value.ts";
import { findCase } from "../check/find-case.ts";
import { type CheckRules, withCheckRules } from "../redact/check-rules.ts";
import type { WorkflowStepOptions } from "../kernel/step/whole-run.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import type { BaseAdapters } from "../kernel/step/context.ts";
import { kernelError } from "../kernel/step/fail.ts";
import { type AnyStep, isStep } from "../kernel/step/define-step.ts";
import {
  matcherResultOf,
  checkOptionsOf,
  checkAndExplain,
  modeOf,
  stageUpdates,
  sourceText,
} from "./check-in-session.ts";
import type { MatcherCall } from "./baseline-matcher.ts";
import type { MatcherResult } from "./matcher-context.ts";
import { type StepResult, rememberStep } from "../kernel/step/step-result.ts";
import { foundWords, readResult, wrongReceived } from "./received.ts";
import type { TestSession } from "./test-session.ts";
import { rerunCommand } from "../explain/rerun-command.ts";

/** How a case is called: its name makes its identity, labels and meta let sweeps choose it. */
interface CaseOptions extends Pick<CheckRules, "hashOnly"> {
  /** What the case is called, and known by: with it, another input is the same case. Default: known by its input. */
  readonly name?: string;
  /** Words of a case; a sweep takes only the cases that have all of them. */
  readonly labels?: readonly string[];
  /** Facts of a case, `{ customer: "acme" }`; a sweep takes only the cases that have all of them. */
  readonly meta?: BaselineMeta;
  /** What is tolerated of the output, by dot path, instead of the step's own rules. */
  readonly compare?: CompareBy;
}

/** What a baseline holds of the run that made it. */
export interface RecordedRun<Input = unknown, Output extends object = object> {
  readonly result: StepResult<Input, Output>;
  /** What the step asked its adapters and was answered, in order. */
  readonly calls: readonly AdapterCall[];
}

/** Options of `toMatchBaseline` for a step: the input to run it on. */
export interface MatchStepOptions<
  Input = unknown,
  Adapters extends BaseAdapters = BaseAdapters,
  Output extends object = object,
> extends CaseOptions,
    CheckRules,
    WorkflowStepOptions {
  /** What the step is run on. */
  readonly input: Input;
  /** Today's adapters. Without them a stored case is served its recorded calls; a new one runs with none. */
  readonly adapters?: Adapters;
  /**
   * Whether the adapters are called or recorded answers served, for all or each: `{ llm: "recorded", tools: "live" }`;
   * `scripted` serves them in their order, whatever is asked. Default: called, but in CI served.
   */
  readonly mode?: TestMode;
  /** Parse inputs and observe outputs with the step's schemas. Default true. */
  readonly validate?: boolean;
  /** Check the output of a `partial` step against the whole schema. Default false. */
  readonly strictOutput?: boolean;
  /** What the model calls of one run may cost together; tokens and time count where live adapters are called. */
  readonly within?: Budget;
  /** Which calls count: reads and writes, writes alone, or none. Default: what the step says, else all. */
  readonly calls?: CallScope;
  /** Fails a live check that asks what no answer is recorded for, also with the same result. Default: the project's. */
  readonly strictRequests?: boolean;
  /** Lets writes run where live adapters are called: else they are held, and answered in their place. */
  readonly effects?: "run";
  /** What else must hold of the recorded run: called with it once it matches, in CI too. Its throw fails the test. */
  readonly assert?: (recorded: RecordedRun<Input, Output>) => void | Promise<void>;
  readonly keyBy?: never;
}

/** Options of `toMatchBaseline` for a result that is there already, or for any JSON value (which must be named). */
export interface MatchValueOptions extends CaseOptions {
  /** Identity of array elements by dot path; for a result the step's own unless given. */
  readonly keyBy?: KeyBy;
  readonly input?: never;
  readonly adapters?: never;
  readonly mode?: never;
  readonly ignore?: never;
  readonly within?: never;
  readonly assert?: never;
  readonly start?: never;
  readonly resolve?: never;
  readonly runsBy?: never;
}

/** Options of `toMatchBaseline`. */
export type MatchBaselineOptions = MatchStepOptions | MatchValueOptions;

/**
 * Captures a baseline the first time and compares with it from then on: of a step or a whole workflow on an input, of
 * a step's result, or of any JSON value.
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
  return withCheckRules(options, async () => {
    const { check, subject, how, given } = await ask(call);
    // Asked before this check may write it.
    const written = new Set(session.staged.has(check.path) ? [check.path] : []);
    const settled = await stageUpdates([check], session);
    if (settled.every(isPassing) && options.assert !== undefined) await options.assert(recordedRun(call, options));
    const rerun = (): string => rerunCommand(call.context, session);
    return matcherResultOf({
      subject,
      how,
      settled,
      mode: session.mode,
      updatable: true,
      utils,
      rerun,
      given,
      written,
    });
  });
}

/** What is stored of the case once it passed; what this test stages counts as stored. */
function recordedRun({ received, session }: MatcherCall<MatchBaselineOptions>, options: MatchStepOptions): RecordedRun {
  if (!isStep(received)) throw wrongReceived("toMatchBaseline: assert", "a step or a workflow", received);
  const found = caseOf(received, options, session);
  const baseline = found.ok ? found.value.stored?.baseline : undefined;
  if (baseline?.ok !== true || baseline.value.kind !== "step")
    throw new Error(`toMatchBaseline: assert has no recorded run of "${received.name}": its baseline was not stored.`);
  const { input, output, events, commands, calls, step, workflow } = baseline.value;
  const run = { stepName: step, workflowId: workflow.id, workflowVersion: workflow.version, runId: CHECK_RUN_ID };
  const { artifacts } = snapshotOf(baseline.value);
  const result = { input, output: isPlainObject(output) ? output : {}, events, commands, artifacts, ...run };
  return { result: rememberStep(result, received), calls };
}

interface Asked {
  readonly check: Check;
  readonly subject: string;
  readonly how: string;
  /** True where live adapters are at hand. */
  readonly given?: boolean;
}

async function ask({ received, options = {}, session }: MatcherCall<MatchBaselineOptions>): Promise<Asked> {
  if (isStep(received)) return checkStep(received, options, session);
  const library = openLibrary(session.root, session.staged);
  const { name, labels, meta, keyBy, compare } = options;
  const details = { name, labels, meta };
  const read = readResult(received);
  switch (read.kind) {
    case "result": {
      const question = { details, keyBy, compare, label: session.testName };
      const { result } = read;
      const check = await session.traceCheck(result.stepName, () => checkResult(result, question, library));
      return { check, subject: read.result.stepName, how: "result" };
    }
    case "error": {
      const check = failedNew({ file: "(no result)", path: session.root }, read.error);
      return { check, subject: "the step", how: "result" };
    }
    case "neither": {
      if (name === undefined || name.trim() === "")
        throw new TypeError(
          `toMatchBaseline needs a name for a value: toMatchBaseline({ name: "…" }). ` +
            `It was given ${foundWords(received)}.`,
        );
      const question = { test: session.testFile, details: { ...details, name }, keyBy: keyBy ?? {}, compare };
      const check = await session.traceCheck(name, () => checkValue(received, question, library));
      return { check, subject: name, how: "value" };
    }
  }
}

async function checkStep(step: AnyStep, options: MatchBaselineOptions, session: TestSession): Promise<Asked> {
  if (!isStepOptions(options)) {
    throw new TypeError(
      `toMatchBaseline needs an input to run step "${step.name}" on: toMatchBaseline({ input, adapters }).`,
    );
  }
  const { adapters } = options;
  const demands = checkOptionsOf("toMatchBaseline", options);
  const { mode, isExplicit, each } = modeOf(options, session);
  const found = claimedCase(step, options, session);
  const writes = session.mode !== "none";
  const fresh = isExplicit && mode === "recorded" ? mode : "live";
  const capture = { answers: responseSource(fresh, adapters), reviewOnly: !writes };
  const check = found.ok
    ? await checkAndExplain(session, found.value, {
        root: session.root,
        responses: responseSource(mode, adapters, each),
        ...demands,
        capture: writes || session.keepsPending ? capture : undefined,
      })
    : found.error;
  return {
    check,
    subject: step.name,
    how: sourceText(check.source, { mode, ...(each !== undefined && { each }) }),
    given: adapters !== undefined,
  };
}

/** The case of an input; a failed check if another input of this test file differs from it in secrets alone. */
function claimedCase(step: AnyStep, options: MatchStepOptions, session: TestSession): ReturnType<typeof findCase> {
  const found = caseOf(step, options, session);
  if (!found.ok || options.name !== undefined) return found;
  const { file, path, input } = found.value;
  if (input?.isHidden !== true || session.claimCase(path, hashValueSync(input.value))) return found;
  const shared = `Two inputs of step "${step.name}" differ only in their secrets, which are hidden: they are one case.`;
  const error = kernelError("ambiguous_case", `${shared} Give each a name: toMatchBaseline({ name: "…", input }).`);
  return err(failedNew({ file, path }, error));
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
