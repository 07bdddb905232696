import { type Result, err, ok } from "../kernel/result.ts";
import { messageOf } from "../kernel/error-message.ts";
import { type CaseDetails, hiddenInput } from "../baseline/create-baseline.ts";
import {
  type BaselineLibrary,
  type CaseLookup,
  type StoredCase,
  displayPath,
  storedBaselineOf,
} from "../baseline/baseline-library.ts";
import { redactedLabel } from "../baseline/baseline-paths.ts";
import { inputHashOf } from "../record/snapshot.ts";
import { currentRedactor, learnSecrets } from "../redact/current-redactor.ts";
import { kindOf, replaceInText } from "../redact/placeholder.ts";
import { RevealedSecrets, withRevealedSecrets, currentRevealedSecrets } from "../redact/revealed-secrets.ts";
import { PlaceholderNumbers } from "../redact/placeholder-numbers.ts";
import type { AnyStep } from "../kernel/step/define-step.ts";
import { kernelError } from "../kernel/step/fail.ts";
import { type Case, type Check, type TestInput, failedNewCase } from "./check.ts";

/** Returns a stored case of a step, to run on its stored input. */
export function caseOfStored(step: AnyStep, stored: StoredCase): Case {
  const { file, path } = stored;
  const baseline = storedBaselineOf(stored);
  const output = baseline?.kind === "step" ? baseline.output : undefined;
  // A step of a workflow takes options that it lacks from the stored run.
  return { step: step.repeating?.({ output }) ?? step, file, path, stored };
}

/** A step and one input whose result is compared with its baseline. */
export interface InputRequest {
  readonly input: unknown;
  readonly details: CaseDetails;
  /** Begins the file name of a new case without a name: the title of the test. */
  readonly label: string;
}

/** Finds the case of an input, new or stored. Returns a failed check for an input that a baseline can't store. */
export function findCase(step: AnyStep, request: InputRequest, library: BaselineLibrary): Result<Case, Check> {
  let caseInput: TestInput;
  try {
    caseInput = testInput(request.input);
  } catch (thrown) {
    const error = kernelError("input_validation", `The input can't be stored: ${messageOf(thrown)}`, thrown);
    return err(failedNewCase({ file: step.name, path: library.root }, error));
  }
  const { input, path, stored } = caseOfInput(caseInput, { group: step.name, ...request }, library);
  return ok({ step, file: displayPath(path), path, stored, input, details: request.details });
}

/** Finds the path of an input's case, stored or new. Throws for an input that a baseline can't store. */
export function locateInput(
  group: string,
  request: InputRequest,
  library: BaselineLibrary,
): CaseLookup & { readonly input: TestInput } {
  return caseOfInput(testInput(request.input), { group, ...request }, library);
}

/** Returns an input with its hash, before other data reveals secrets in it. */
function testInput(whole: unknown): TestInput {
  const secrets = new RevealedSecrets(new PlaceholderNumbers({ live: () => whole }));
  return withRevealedSecrets(secrets, () => {
    const hidden = hiddenInput(whole);
    return { value: whole, hash: inputHashOf(hidden), isHidden: hidden !== whole, secrets };
  });
}

function caseOfInput(
  input: TestInput,
  { group, details: { name }, label }: InputRequest & { readonly group: string },
  library: BaselineLibrary,
): ReturnType<typeof locateInput> {
  const { hash, secrets } = input;
  return withRevealedSecrets(secrets, () => {
    if (name !== undefined) {
      const { path, stored } = library.find(group, { name }, name);
      return findByHiddenInput(stored, input) ?? { path, stored, input };
    }
    const location = library.find(group, { inputHash: hash }, labelOfTitle(label));
    const pathFor = (inputHash: string): string =>
      library.find(group, { inputHash }, redactedLabel(labelOfTitle(label))).path;
    const hidden = location.stored === undefined ? caseWithMoreHidden(group, input, library) : undefined;
    return hidden ?? { ...location, input: { ...input, pathFor } };
  });
}

/**
 * Finds the case whose stored input has more secrets redacted than the input alone shows, because calls or output
 * revealed them. The names of such files end in `-hidden-<hash>.json`.
 */
function caseWithMoreHidden(
  group: string,
  input: TestInput,
  library: BaselineLibrary,
): ReturnType<typeof locateInput> | undefined {
  const files = library.files(group);
  for (const name of files.redactedNames()) {
    const match = findByHiddenInput(files.read(name), input);
    if (match !== undefined) return match;
  }
  return undefined;
}

/**
 * Returns a stored case whose hash differs from the input's only by secrets that the rest of its recording reveals;
 * undefined for any other case, also for one with an equal hash.
 */
function findByHiddenInput(
  stored: StoredCase | undefined,
  { value, hash, secrets }: TestInput,
): ReturnType<typeof locateInput> | undefined {
  const baseline = storedBaselineOf(stored);
  if (stored === undefined || baseline?.kind !== "step" || baseline.inputHash === hash) return undefined;
  const known = secrets.withNumbers(new PlaceholderNumbers({ stored: () => stored.text, live: () => value }));
  return withRevealedSecrets(known, () => {
    learnSecrets(baseline.input, hiddenInput(value));
    if (inputHashOf(hiddenInput(value)) !== baseline.inputHash) return undefined;
    return { path: stored.path, stored, input: { value, hash: baseline.inputHash, isHidden: true, secrets: known } };
  });
}

/** Returns an input without the secrets that the check has revealed so far, and the hash of that. */
export function storedFormOfInput({ value, hash, secrets }: TestInput): {
  readonly hidden: unknown;
  readonly hash: string;
} {
  const hidden = hiddenInput(value);
  return { hidden, hash: (currentRevealedSecrets() ?? secrets).size === 0 ? hash : inputHashOf(hidden) };
}

/**
 * Returns the path of a new case whose input has this hash: another path if calls or output revealed more of its
 * secrets.
 */
export function newCasePath({ path, input }: Pick<Case, "path" | "input">, hash: string): string {
  return input?.pathFor === undefined || hash === input.hash ? path : input.pathFor(hash);
}

/**
 * Returns a test's title for use in a file name: `test.each` writes values into titles, secrets too. The numbers of
 * secrets are removed: the hash identifies a case, and its label is for people.
 */
export function labelOfTitle(title: string): string {
  return replaceInText(currentRedactor().redactText(title), (placeholder) => `redacted-${kindOf(placeholder)}`);
}
