import { refuseUnknownOptions } from "../../kernel/did-you-mean.ts";
import { processEnvironment } from "../../kernel/environment.ts";
import { escapeText, truncate } from "../../kernel/text.ts";
import { type BaselineLibrary, openLibrary } from "../../baseline/baseline-library.ts";
import type { Check } from "../../check/check.ts";
import { isPassing } from "../../check/update/stage-update.ts";
import type { MatcherCall } from "../../matchers/baseline-matcher.ts";
import { stageUpdates } from "../../matchers/check-in-session.ts";
import type { MatcherResult, MatcherUtils } from "../../matchers/matcher-context.ts";
import { wrongReceived } from "../../matchers/received.ts";
import { currentRedactor } from "../../redact/current-redactor.ts";
import type { TestSession } from "../../matchers/test-session.ts";
import { modeOf } from "../../matchers/matcher-mode.ts";
import { reviewCommandOf } from "../../matchers/pending-commands.ts";
import type { BaseAdapters } from "../../kernel/step/context.ts";
import { type AnyStep, isStep } from "../../kernel/step/define-step.ts";
import { isWorkflow } from "../../kernel/step/define-workflow.ts";
import type { RespondingCase } from "./steps/response-source.ts";
import {
  type Counterexample,
  type FailedCase,
  checkOfFailure,
  checkOfObsolete,
  checkOfStored,
  inputText,
  storedCounterexamples,
} from "./counterexamples.ts";
import type { PropertyFailure, PropertySubject, SatisfyPropertiesOptions } from "./property-subject.ts";
import { StepPropertySubject } from "./steps/step-subject.ts";
import { knownFailures, propertyRuns, propertySeed } from "./seed-and-runs.ts";
import { WorkflowPropertySubject } from "./workflows/workflow-properties.ts";

/**
 * Checks the properties of a step with generated inputs. They come from its schema, or are similar to the inputs of its
 * baselines. For a workflow, it generates lists of actions, and workers die between any two of them. Fails with the
 * minimal input that breaks a property. This counterexample is pending like a baseline. Once accepted, it's checked
 * first in each run.
 *
 * @example
 * await expect(totalOf).toSatisfyProperties({ orderFree: ["lines"] });
 * await expect(extractReceipt).toSatisfyProperties({ responses: { "llm.complete": Receipt }, runs: 500 });
 * await expect(claims).toSatisfyProperties({ adapters, mode: "live", resolve: { review: "approve" } });
 */
export async function toSatisfyProperties(call: MatcherCall<SatisfyPropertiesOptions>): Promise<MatcherResult> {
  const { received, session, utils } = call;
  if (!isStep(received) && !isWorkflow(received))
    throw wrongReceived("toSatisfyProperties", "a step or a workflow", received);
  refuseUnknownOptions("toSatisfyProperties", call.options ?? {}, Object.keys(OPTIONS));
  const library = openLibrary(session.root, session.staged);
  const cases = isStep(received) ? casesOf(received, library) : [];
  const options = {
    ...call.options,
    runs: propertyRuns(call.options?.runs, processEnvironment()),
    adapters: adaptersToCall(call, cases),
  };
  const book: PropertySubject = isStep(received)
    ? new StepPropertySubject(received, options, cases)
    : new WorkflowPropertySubject(received, options);
  const known = storedCounterexamples(library, session.testFile, received.name);
  const rechecked = await checkKnown({ subject: received.name, book, known, library, test: session.testFile });
  const seed = propertySeed(options.seed, processEnvironment());
  const broken = [
    ...rechecked.findings.map(({ property }) => property),
    ...knownFailures(received.name, processEnvironment()),
  ];
  const report = await book.search({ seed, path: options.path, without: broken });
  const failures = report.failures.map((failure) => ({
    finding: failure,
    check: checkOfFailure({ ...failure, subject: received.name, test: session.testFile }, library),
  }));
  // An obsolete counterexample is removed under -u alone, and doesn't fail a test.
  const obsolete = session.mode === "all" ? rechecked.obsolete : [];
  const checks = [...rechecked.checks, ...obsolete, ...failures.map(({ check }) => check)];
  for (const check of checks) await session.traceCheck(received.name, () => check);
  const applied = await stageUpdates(checks, session);
  return answer(applied, {
    name: received.name,
    propertyCount: report.properties.length,
    runs: report.runs,
    seed,
    findings: [...rechecked.findings, ...report.failures],
    utils,
    session,
  });
}

const OPTIONS: Readonly<Record<keyof SatisfyPropertiesOptions, true>> = {
  adapters: true,
  mode: true,
  responses: true,
  inputs: true,
  given: true,
  orderFree: true,
  workflow: true,
  properties: true,
  runs: true,
  seed: true,
  path: true,
  timeoutMs: true,
  start: true,
  resolve: true,
  runsBy: true,
  store: true,
};

/**
 * Returns the adapters, if a mode is live: each generated input would cost calls. Throws an error if the run has no
 * other responses.
 */
function adaptersToCall(
  { options = {}, session }: MatcherCall<SatisfyPropertiesOptions>,
  cases: readonly RespondingCase[],
): BaseAdapters | undefined {
  const { adapters } = options;
  const { mode, isExplicit } = modeOf(options, session);
  if (adapters === undefined || (isExplicit && mode !== "replay")) return adapters;
  if (cases.some(({ calls }) => calls.length > 0)) return undefined;
  throw new Error(
    "toSatisfyProperties: this run doesn't call live adapters, and generated inputs don't have recorded " +
      "responses. If the " +
      'adapters are stubs, or you want to call them for each input, pass mode: "live".',
  );
}

/** Returns the stored cases of a step: inputs to generate from, and calls with responses. */
function casesOf(step: AnyStep, library: BaselineLibrary): RespondingCase[] {
  return library
    .all(step.name)
    .flatMap(({ baseline }) => (baseline.ok && baseline.value.kind === "step" ? [baseline.value] : []));
}

interface Known {
  readonly subject: string;
  readonly book: PropertySubject;
  readonly known: readonly Counterexample[];
  readonly library: BaselineLibrary;
  readonly test: string;
}

/** Failed property: a new one (then it has the seed and path of its generation) or a stored one. */
type PropertyFinding = Omit<PropertyFailure, "seed" | "path" | "run"> & Partial<PropertyFailure>;

interface Rechecked {
  readonly checks: readonly Check[];
  readonly obsolete: readonly Check[];
  readonly findings: readonly PropertyFinding[];
}

async function checkKnown({ subject, book, known, library, test }: Known): Promise<Rechecked> {
  const checks: Check[] = [];
  const obsolete: Check[] = [];
  const findings: PropertyFinding[] = [];
  for (const counterexample of known) {
    const property = book.properties.find(({ name }) => name === counterexample.property);
    // Another call of this matcher may check it.
    if (property === undefined) continue;
    if (!(await book.canGenerate(counterexample.draw))) {
      obsolete.push(checkOfObsolete(counterexample, library, test));
      continue;
    }
    const problem = await book.check(property.name, counterexample.draw);
    const finding =
      problem === undefined
        ? undefined
        : { property: property.name, description: property.description, problem, draw: counterexample.draw };
    if (finding !== undefined) findings.push(finding);
    const failedCase: FailedCase | undefined = finding && { ...finding, subject, test };
    checks.push(checkOfStored(counterexample, failedCase));
  }
  return { checks, obsolete, findings };
}

interface Checked {
  readonly name: string;
  readonly propertyCount: number;
  readonly runs: number;
  readonly seed: number;
  readonly findings: readonly PropertyFinding[];
  readonly utils: MatcherUtils;
  readonly session: TestSession;
}

/** Characters of an input before the rest is only counted. */
const MAX_INPUT = 600;

function answer(
  checks: readonly Check[],
  { name, propertyCount, runs, seed, findings, utils, session }: Checked,
): MatcherResult {
  const failed = checks.filter((check) => !isPassing(check));
  if (failed.length === 0) return { pass: true, message: () => `${name}: its properties pass` };
  const message = (): string => {
    const { RECEIVED_COLOR: strong = same, DIM_COLOR: faint = same } = utils;
    const broken = new Set(findings.map(({ property }) => property)).size;
    const properties = propertyCount === 1 ? "property" : "properties";
    const head = `${name}: ${broken} of ${propertyCount} ${properties} ${broken === 1 ? "fails" : "fail"}`;
    const lines = findings.flatMap((finding) => findingLines(finding, strong));
    return [
      `${escapeText(head)} ${faint(`(${runs} ${runs === 1 ? "run" : "runs"}, seed ${seed})`)}`,
      ...lines,
      "",
      ...advice(failed, session),
    ].join("\n");
  };
  return { pass: false, message };
}

function findingLines(
  { property, description, problem, draw: generated, seed, path }: PropertyFinding,
  strong: (text: string) => string,
): string[] {
  const { answers } = generated;
  const responseLines = Object.keys(answers).length > 0 ? [`    answers  ${shown(answers)}`] : [];
  const where = path === undefined ? "known: a stored counterexample" : `{ seed: ${seed}, path: "${path}" }`;
  return [
    "",
    `  ${strong(escapeText(property))}  ${property === description ? "" : escapeText(description)}`.trimEnd(),
    `    found    ${safe(problem)}`,
    `    input    ${shown(generated.input)}`,
    ...responseLines,
    `    again    ${where}`,
  ];
}

function advice(failed: readonly Check[], { mode }: TestSession): string[] {
  const pending = failed.filter(({ update }) => update?.state === "pending");
  if (pending.length > 0) {
    const files = pending.map(({ file }) => `  ${escapeText(file)}`);
    const review = reviewCommandOf(mode);
    return [
      `Fix the step. The failing case is pending. If you accept it, each run checks it first: ${review}`,
      ...files,
    ];
  }
  return mode === "none"
    ? ["Fix the step. To store the failing case, run the test on your machine, without CI=1 or --ci."]
    : ["Fix it."];
}

function shown(value: unknown): string {
  return safe(inputText(value));
}

/** Returns a text safe to print: without secrets and control characters. */
function safe(text: string): string {
  return truncate(escapeText(currentRedactor().redactText(text)).replaceAll("\n", " "), MAX_INPUT);
}

function same(text: string): string {
  return text;
}
