import { processEnvironment } from "../../kernel/environment.ts";
import { escapeText, truncate } from "../../kernel/text.ts";
import { type BaselineLibrary, openLibrary } from "../../baseline/baseline-library.ts";
import type { Check } from "../../check/check.ts";
import { isPassing } from "../../check/handle-update.ts";
import { redactedError } from "../../check/verdict.ts";
import type { MatcherCall } from "../../matchers/baseline-matcher.ts";
import { stageUpdates } from "../../matchers/check-in-session.ts";
import type { MatcherResult, MatcherUtils } from "../../matchers/matcher-context.ts";
import { wrongReceived } from "../../matchers/received.ts";
import type { TestSession } from "../../matchers/test-session.ts";
import { reviewCommandLine } from "../../matchers/matcher-text.ts";
import { type AnyStep, isStep } from "../../kernel/step/define-step.ts";
import { kernelError } from "../../kernel/step/fail.ts";
import { isWorkflow } from "../../kernel/step/define-workflow.ts";
import type { RespondingCase } from "./response-source.ts";
import {
  type Counterexample,
  type FailedCase,
  PROPERTY_FAILED,
  checkOfFailure,
  checkOfObsolete,
  checkOfStored,
  inputText,
  storedCounterexamples,
} from "./counterexamples.ts";
import {
  type PropertySubject,
  type SatisfyPropertiesOptions,
  StepPropertySubject,
  type PropertyFailure,
} from "./check-properties.ts";
import { knownFailures, propertyRuns, propertySeed } from "./exploration.ts";
import { WorkflowPropertySubject } from "./workflow-properties.ts";

/**
 * Holds a step to its laws under drawn inputs: those of its schema, and what is near the inputs of its stored
 * baselines; or a workflow under drawn lists of actions, with workers that die between any two. What was found before
 * is asked first. Fails with the least input that breaks a law, which is held for review like a baseline; accepted, it
 * is asked first from then on.
 *
 * @example
 * await expect(totalOf).toSatisfyProperties({ orderFree: ["lines"] });
 * await expect(extractReceipt).toSatisfyProperties({ responses: { "llm.complete": Receipt }, runs: 500 });
 * await expect(claims).toSatisfyProperties({ adapters, resolve: { review: "approve" } });
 */
export async function toSatisfyProperties(call: MatcherCall<SatisfyPropertiesOptions>): Promise<MatcherResult> {
  const { received, session, utils } = call;
  const options = { ...call.options, runs: propertyRuns(call.options?.runs, processEnvironment()) };
  if (!isStep(received) && !isWorkflow(received))
    throw wrongReceived("toSatisfyProperties", "a step or a workflow", received);
  const library = openLibrary(session.root, session.staged);
  const book: PropertySubject = isStep(received)
    ? new StepPropertySubject(received, options, casesOf(received, library))
    : new WorkflowPropertySubject(received, options);
  const known = storedCounterexamples(library, session.testFile, received.name);
  const asked = await checkKnown({ subject: received.name, book, known, library, test: session.testFile });
  const seed = propertySeed(options.seed, processEnvironment());
  const broken = [...asked.findings.map(({ law }) => law), ...knownFailures(received.name, processEnvironment())];
  const report = await book.search({ seed, path: options.path, without: broken });
  const found = report.failures.map((failure) => ({
    finding: failure,
    check: checkOfFailure({ ...failure, subject: received.name, test: session.testFile }, library),
  }));
  // What is obsolete is taken away under -u alone, and fails no test.
  const obsolete = session.mode === "all" ? asked.obsolete : [];
  const checks = [...asked.checks, ...obsolete, ...found.map(({ check }) => check)];
  for (const check of checks) await session.traceCheck(received.name, () => check);
  const settled = await stageUpdates(checks, session);
  return answer(settled, {
    name: received.name,
    laws: report.properties.length,
    runs: report.runs,
    seed,
    findings: [...asked.findings, ...report.failures],
    utils,
    session,
  });
}

/** What is stored of a step: inputs to draw from, and calls that answer. */
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

/** A law that is broken, by what was found just now (then it says where in the draw) or before. */
type Told = Omit<PropertyFailure, "seed" | "path" | "run"> & Partial<PropertyFailure>;

interface Rechecked {
  readonly checks: readonly Check[];
  readonly obsolete: readonly Check[];
  readonly findings: readonly Told[];
}

async function checkKnown({ subject, book, known, library, test }: Known): Promise<Rechecked> {
  const checks: Check[] = [];
  const obsolete: Check[] = [];
  const findings: Told[] = [];
  for (const one of known) {
    const law = book.properties.find(({ name }) => name === one.law);
    // Another call of this matcher may ask it.
    if (law === undefined) continue;
    if (!(await book.canGenerate(one.draw))) {
      obsolete.push(checkOfObsolete(one, library, test));
      continue;
    }
    const problem = await book.check(law.name, one.draw);
    const told = problem === undefined ? undefined : { law: law.name, says: law.says, problem, draw: one.draw };
    if (told !== undefined) findings.push(told);
    const found: FailedCase | undefined = told && { ...told, subject, test };
    checks.push(checkOfStored(one, found));
  }
  return { checks, obsolete, findings };
}

interface Heard {
  readonly name: string;
  readonly laws: number;
  readonly runs: number;
  readonly seed: number;
  readonly findings: readonly Told[];
  readonly utils: MatcherUtils;
  readonly session: TestSession;
}

/** Characters of an input before the rest is only counted. */
const MAX_INPUT = 600;

function answer(settled: readonly Check[], { name, laws, runs, seed, findings, utils, session }: Heard): MatcherResult {
  const failed = settled.filter((check) => !isPassing(check));
  if (failed.length === 0) return { pass: true, message: () => `${name}: holds its laws` };
  const message = (): string => {
    const { RECEIVED_COLOR: strong = same, DIM_COLOR: faint = same } = utils;
    const broken = new Set(findings.map(({ law }) => law)).size;
    const head = `${name}: ${broken} of ${laws} ${laws === 1 ? "law" : "laws"} ${broken === 1 ? "is" : "are"} broken`;
    const found = findings.flatMap((finding) => findingLines(finding, strong));
    return [
      `${escapeText(head)} ${faint(`(${runs} ${runs === 1 ? "run" : "runs"}, seed ${seed})`)}`,
      ...found,
      "",
      ...advice(failed, session),
    ].join("\n");
  };
  return { pass: false, message };
}

function findingLines(
  { law, says, problem, draw: generated, seed, path }: Told,
  strong: (text: string) => string,
): string[] {
  const { answers } = generated;
  const asked = Object.keys(answers).length > 0 ? [`    answers  ${shown(answers)}`] : [];
  const where =
    path === undefined ? "known: it was accepted as a case to ask first" : `{ seed: ${seed}, path: "${path}" }`;
  return [
    "",
    `  ${strong(escapeText(law))}  ${law === says ? "" : escapeText(says)}`.trimEnd(),
    `    found    ${safe(problem)}`,
    `    input    ${shown(generated.input)}`,
    ...asked,
    `    again    ${where}`,
  ];
}

function advice(failed: readonly Check[], { mode }: TestSession): string[] {
  const held = failed.filter(({ updateState }) => updateState === "held");
  if (held.length > 0) {
    const files = held.map(({ file }) => `  ${escapeText(file)}`);
    return [
      `Mend it. What broke it is held, to be asked first once it is accepted: ${reviewCommandLine(mode)}`,
      ...files,
    ];
  }
  return mode === "none"
    ? ["Mend it, or run the test where baselines may be written to keep what broke it."]
    : ["Mend it."];
}

function shown(value: unknown): string {
  return safe(inputText(value));
}

/** What a draw or a step says, as it may be printed: without secrets and control characters. */
function safe(text: string): string {
  const { message } = redactedError(kernelError(PROPERTY_FAILED, text));
  return truncate(escapeText(message).replaceAll("\n", " "), MAX_INPUT);
}

function same(text: string): string {
  return text;
}
