import { type Result, err, ok } from "../../base/result.ts";
import { quote } from "../../base/text.ts";
import type { CaseIdentity } from "../../baseline/baseline.ts";
import { inputHashOf } from "../../record/snapshot.ts";
import { currentRedactor } from "../../redact/current-redactor.ts";
import { messageOf } from "../../base/thrown.ts";
import { type FoundInput, inputLabel, inputPlace, readInputs } from "./read-inputs.ts";
import { LowestRanks, sampleRank } from "./sample-inputs.ts";

/** Which inputs of files are to be captured, and how their cases are called. */
export interface InputRequest {
  /** Absolute. */
  readonly files: readonly string[];
  /** Names the cases: `{file}` stands for the file's name without its ending, `{line}` for the line. */
  readonly name: string | undefined;
  /** How many of the inputs; undefined for all. */
  readonly sample: number | undefined;
  readonly seed: string;
}

/** An input that is to be captured. */
export interface PlannedInput extends FoundInput {
  readonly name: string | undefined;
}

/** The inputs that are to be captured, without their contents: they are read again when it is their turn. */
export interface InputPlan {
  readonly count: number;
  /** Inputs that are the same as an earlier one. */
  readonly duplicates: number;
  /** Inputs that the sample leaves out. */
  readonly leftOut: number;
  /** Reads the chosen inputs, in the order of their files. */
  inputs(): AsyncGenerator<PlannedInput, void, undefined>;
}

/**
 * Reads every input once: all must be JSON, and no two of them one case, before anything is run. One sentence where
 * they are not.
 */
export async function planInputs(request: InputRequest): Promise<Result<InputPlan, string>> {
  const { files, name, sample, seed } = request;
  const seen = new Map<string, { readonly hash: string; readonly place: string }>();
  const drawn = sample === undefined ? undefined : new LowestRanks<string>(sample);
  let duplicates = 0;
  for await (const found of readInputs(files)) {
    if (!found.ok) return found;
    const hash = caseHash(found.value);
    if (!hash.ok) return hash;
    const place = inputPlace(found.value);
    const key = caseName(name, found.value) ?? hash.value;
    const other = seen.get(key);
    if (other !== undefined && other.hash !== hash.value) {
      return err(
        `--name ${quote(name ?? "")} gives ${other.place} and ${place} one name. Tell them apart: --name "{file}", or "{file}-{line}".`,
      );
    }
    if (other !== undefined) duplicates += 1;
    else drawn?.offer(place, { rank: sampleRank(seed, found.value.input), key });
    if (other === undefined) seen.set(key, { hash: hash.value, place });
  }
  const chosen = new Set(drawn?.chosen() ?? [...seen.values()].map(({ place }) => place));
  return ok({
    count: chosen.size,
    duplicates,
    leftOut: seen.size - chosen.size,
    inputs: () => chosenInputs(request, chosen),
  });
}

async function* chosenInputs(
  { files, name }: InputRequest,
  chosen: ReadonlySet<string>,
): AsyncGenerator<PlannedInput, void, undefined> {
  for await (const found of readInputs(files)) {
    // What was readable a moment ago and is not now was edited meanwhile.
    if (!found.ok) throw new Error(found.error);
    if (chosen.has(inputPlace(found.value))) yield { ...found.value, name: caseName(name, found.value) };
  }
}

/**
 * What tells a case of an input apart: its name, else the hash of the input as a baseline keeps it, without secrets.
 */
export function identityOfInput({ input, name }: Pick<PlannedInput, "input" | "name">): CaseIdentity {
  return name === undefined ? { inputHash: inputHashOf(currentRedactor().redact(input, ["input"]).value) } : { name };
}

function caseHash(found: FoundInput): Result<string, string> {
  try {
    return ok(inputHashOf(currentRedactor().redact(found.input, ["input"]).value));
  } catch (thrown) {
    return err(`${inputPlace(found)} cannot be an input: ${messageOf(thrown)}`);
  }
}

function caseName(template: string | undefined, { path, line }: FoundInput): string | undefined {
  return template?.replaceAll("{file}", inputLabel({ path, line: undefined })).replaceAll("{line}", String(line ?? 1));
}
