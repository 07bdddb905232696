import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { createValueBaseline } from "../../baseline/create-baseline.ts";
import type { BaselineUpdate } from "../../baseline/baseline.ts";
import { type BaselineLibrary, type StoredCase, displayPath } from "../../baseline/baseline-library.ts";
import { type Check, checkWithoutUpdate } from "../../check/check.ts";
import { createUpdate } from "../../check/update/create-update.ts";
import { redactedError } from "../../check/verdict.ts";
import { decode } from "../../record/encode/decode.ts";
import { encode } from "../../record/encode/encode.ts";
import { kernelError } from "../../kernel/step/fail.ts";
import type { GeneratedCase, PropertyFailure } from "./property-subject.ts";

/** Code of a case that fails a property. */
const PROPERTY_FAILED = "property_failed";

/**
 * Stored counterexample of a test file: a property, and the minimal case that fails it. fast-check makes it smaller, in
 * `search` of step-subject.ts, and in `checkWorkflowProperties` of workflow-properties.ts for workflows.
 */
export interface Counterexample {
  readonly property: string;
  readonly draw: GeneratedCase;
  readonly stored: StoredCase;
}

/**
 * Returns the stored counterexamples of a step, or a workflow, next to a test file, in the order of their files.
 * Damaged files are skipped: `veritest check` names those.
 */
export function storedCounterexamples(library: BaselineLibrary, test: string, subject: string): Counterexample[] {
  return library.all(test).flatMap((stored) => {
    const { baseline } = stored;
    const value = baseline.ok && baseline.value.kind === "value" ? baseline.value.value : undefined;
    if (!isPlainObject(value) || value["counterexampleOf"] !== subject) return [];
    const { law } = value;
    const generated = drawOf(value["draw"]);
    return typeof law === "string" && generated !== undefined ? [{ property: law, draw: generated, stored }] : [];
  });
}

function drawOf(kept: unknown): GeneratedCase | undefined {
  const draw = decode(kept);
  if (!isPlainObject(draw) || !("input" in draw)) return undefined;
  const { input, answers, order } = draw;
  const lists = isPlainObject(answers) ? Object.entries(answers) : [];
  const known = lists.flatMap(([path, list]) => (isArray(list) ? [[path, list] as const] : []));
  return { input, answers: Object.fromEntries(known), order: typeof order === "number" ? order : 0 };
}

/** Stored data of a failed property, and its report. */
export interface FailedCase extends Pick<PropertyFailure, "property" | "description" | "problem" | "draw"> {
  readonly subject: string;
  /** The base name of the test file. */
  readonly test: string;
}

/** Returns the check of a new counterexample: it fails, and its update stores the case, so that it is checked first. */
export function checkOfFailure(finding: FailedCase, library: BaselineLibrary): Check {
  const { subject, property, draw: generated, test } = finding;
  const kept = keptDraw(generated);
  const { name, path } = freePath(`${subject} breaks ${property}`, test, library);
  const propose = (): BaselineUpdate => {
    const value = {
      counterexampleOf: subject,
      law: property,
      says: finding.description,
      found: finding.problem,
      draw: kept.value,
    };
    return createUpdate(createValueBaseline(value, { test, name }), { root: library.root, path, stored: undefined });
  };
  return {
    file: displayPath(path),
    path,
    verdict: brokenVerdict(finding),
    findings: {},
    update: kept.problem === undefined ? { propose } : undefined,
  };
}

/**
 * Returns the path of the next counterexample of a property. It isn't named by its contents: each run generates another
 * one, and there would be as many pending files as runs.
 */
function freePath(
  name: string,
  test: string,
  library: BaselineLibrary,
): { readonly name: string; readonly path: string } {
  for (let count = 1; ; count += 1) {
    const numbered = count === 1 ? name : `${name} ${count}`;
    const { path, stored } = library.find(test, { name: numbered }, numbered);
    if (stored === undefined) return { name: numbered, path };
  }
}

/** Returns the check of a stored counterexample that was checked again. */
export function checkOfStored({ stored }: Counterexample, finding: FailedCase | undefined): Check {
  return checkWithoutUpdate(stored, finding === undefined ? { kind: "clean" } : brokenVerdict(finding));
}

/** Returns the check of a stored counterexample whose input isn't valid any longer: its update removes it. */
export function checkOfObsolete({ stored }: Counterexample, library: BaselineLibrary, test: string): Check {
  const { file, path, text } = stored;
  const removal: BaselineUpdate = {
    kind: "remove",
    root: library.root,
    path,
    group: test,
    before: text,
    after: undefined,
  };
  return { file, path, verdict: { kind: "obsolete" }, findings: {}, update: { propose: () => removal } };
}

function brokenVerdict({ property, description, problem, draw: generated }: FailedCase): Check["verdict"] {
  const message = `${property} fails (${description}): ${problem}. Input: ${inputText(generated.input)}`;
  return { kind: "failed", error: redactedError(kernelError(PROPERTY_FAILED, message)) };
}

/** Formats an input on one line: JSON if it is data, whatever it is. */
export function inputText(input: unknown): string {
  const { text } = keptDraw(input);
  return text;
}

interface KeptDraw {
  readonly value: unknown;
  readonly text: string;
  readonly problem?: string;
}

function keptDraw(draw: unknown): KeptDraw {
  try {
    const value = encode(draw);
    return { value, text: JSON.stringify(value) ?? stableStringify(value) };
  } catch {
    // Functions and the like, of custom arbitraries: shown as far as possible, and not stored.
    const value = encode(draw, { opaque: "omit" });
    return { value, text: JSON.stringify(value) ?? "", problem: "it has a value that isn't plain data" };
  }
}
