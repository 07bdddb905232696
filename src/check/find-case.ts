import { type Result, err, ok } from "../kernel/result.ts";
import { messageOf } from "../kernel/thrown.ts";
import type { CaseDetails } from "../baseline/baseline-of.ts";
import { type BaselineLibrary, type CaseLookup, type StoredCase, displayPath } from "../baseline/library.ts";
import { hiddenLabel, isHiddenName } from "../baseline/names.ts";
import { inputHashOf } from "../record/snapshot.ts";
import { currentRedactor, learnSecrets } from "../redact/current-redactor.ts";
import { kindOf, replaceInText } from "../redact/placeholder.ts";
import { RecordingSecrets, inRecording, secretsHere } from "../redact/recording-secrets.ts";
import { SecretNumbers } from "../redact/secret-numbers.ts";
import type { AnyStep } from "../kernel/step/define-step.ts";
import { kernelError } from "../kernel/step/fail.ts";
import { type Case, type Check, type GivenInput, failedNew } from "./check.ts";

/** A stored case of a step, to be run on the input that is stored. */
export function storedCase(step: AnyStep, stored: StoredCase): Case {
  const { file, path } = stored;
  return { step, file, path, stored };
}

/** A step and one input whose result is to match its baseline. */
export interface InputQuestion {
  readonly input: unknown;
  readonly details: CaseDetails;
  /** Names the file of a new case that has no name of its own. */
  readonly label: string;
}

/** The case of an input, new or stored; a check that failed, for an input that no baseline could hold. */
export function findCase(step: AnyStep, question: InputQuestion, library: BaselineLibrary): Result<Case, Check> {
  let given: GivenInput;
  try {
    given = givenInput(question.input);
  } catch (thrown) {
    const error = kernelError("input_validation", `The input cannot be stored: ${messageOf(thrown)}`, thrown);
    return err(failedNew({ file: step.name, path: library.root }, error));
  }
  const { input, path, stored } = findGiven(given, { group: step.name, ...question }, library);
  return ok({ step, file: displayPath(path), path, stored, input, details: question.details });
}

/** Where an input's case is, or would be. Throws for an input that no baseline could hold. */
export function findInput(
  group: string,
  question: InputQuestion,
  library: BaselineLibrary,
): CaseLookup & { readonly input: GivenInput } {
  return findGiven(givenInput(question.input), { group, ...question }, library);
}

/** An input under the hash that it has where nothing else says what of it is secret. */
function givenInput(whole: unknown): GivenInput {
  const secrets = new RecordingSecrets(new SecretNumbers({ live: () => whole }));
  return inRecording(secrets, () => {
    const hidden = currentRedactor().redact(whole, ["input"]).value;
    return { whole, hash: inputHashOf(hidden), isHidden: hidden !== whole, secrets };
  });
}

function findGiven(
  input: GivenInput,
  { group, details: { name }, label }: InputQuestion & { readonly group: string },
  library: BaselineLibrary,
): ReturnType<typeof findInput> {
  const { hash, secrets } = input;
  return inRecording(secrets, () => {
    if (name !== undefined) {
      const { path, stored } = library.find(group, { name }, name);
      return fitting(stored, input) ?? { path, stored, input };
    }
    const found = library.find(group, { inputHash: hash }, fileLabel(label));
    const placeOf = (inputHash: string): string =>
      library.find(group, { inputHash }, hiddenLabel(fileLabel(label))).path;
    const hidden = found.stored === undefined ? findHidden(group, input, library) : undefined;
    return hidden ?? { ...found, input: { ...input, placeOf } };
  });
}

/** The case of an input of which more is hidden than it tells: such are few, and told by their names. */
function findHidden(
  group: string,
  input: GivenInput,
  library: BaselineLibrary,
): ReturnType<typeof findInput> | undefined {
  const files = library.files(group);
  for (const name of files.names(isHiddenName)) {
    const found = fitting(files.read(name), input);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A stored case whose input is the given one, but for what the rest of its recording says is secret. */
function fitting(
  stored: StoredCase | undefined,
  { whole, hash, secrets }: GivenInput,
): ReturnType<typeof findInput> | undefined {
  const baseline = stored?.baseline.ok === true ? stored.baseline.value : undefined;
  if (stored === undefined || baseline?.kind !== "step" || baseline.inputHash === hash) return undefined;
  const known = secrets.beside(new SecretNumbers({ stored: () => stored.text, live: () => whole }));
  return inRecording(known, () => {
    learnSecrets(baseline.input, currentRedactor().redact(whole, ["input"]).value);
    if (hiddenInputHash(whole) !== baseline.inputHash) return undefined;
    return { path: stored.path, stored, input: { whole, hash: baseline.inputHash, isHidden: true, secrets: known } };
  });
}

/** A given input as the baseline of the recording that is made here keeps it, and its hash. */
export function keptInput({ whole, hash, secrets }: GivenInput): { readonly hidden: unknown; readonly hash: string } {
  const hidden = currentRedactor().redact(whole, ["input"]).value;
  return { hidden, hash: (secretsHere() ?? secrets).size === 0 ? hash : inputHashOf(hidden) };
}

/** Where a new case lies whose input is kept under this hash: elsewhere, if more of it is hidden than it tells. */
export function placeOf({ path, input }: Pick<Case, "path" | "input">, hash: string): string {
  return input?.placeOf === undefined || hash === input.hash ? path : input.placeOf(hash);
}

function hiddenInputHash(input: unknown): string {
  return inputHashOf(currentRedactor().redact(input, ["input"]).value);
}

/**
 * The title of a test as a file's name may show it: `test.each` writes values into titles, secrets too. Without their
 * numbers: a case is told by its hash, its label is for people.
 */
export function fileLabel(title: string): string {
  return replaceInText(currentRedactor().redactText(title), (placeholder) => `redacted-${kindOf(placeholder)}`);
}
