import { basename, dirname } from "node:path";
import { type Result, ok } from "../../kernel/result.ts";
import { type Baseline, groupOf, identityOf } from "../../baseline/baseline.ts";
import { matchesCaseFile, groupDirectory } from "../../baseline/baseline-paths.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { verifySerialized } from "../../baseline/serialize-baseline.ts";
import { type ProjectPaths, targetName } from "../../kernel/files/project-paths.ts";
import { readText } from "../../kernel/files/read.ts";
import { shortId, writtenReceipts } from "../../updates/receipts/receipts.ts";
import type { Receipt } from "../../updates/receipts/receipt.ts";
import { matchesName } from "../../kernel/matches-name.ts";
import { type BaselineFile, baselineFiles } from "../../baseline/baseline-files.ts";
import { type CommandInput, metaFacts } from "../terminal/command-input.ts";
import type { OptionSpec } from "../command.ts";
import { CASE_OPTIONS } from "../common-options.ts";

/** Stored baseline of the project. */
export interface StoredBaseline extends BaselineFile {
  /** Target as in receipts and `accept`: relative to the project's root, with forward slashes. */
  readonly target: string;
  readonly text: string;
  /** Parsed baseline, or one sentence on why it's invalid. Doesn't verify its hashes. */
  readonly baseline: Result<Baseline, string>;
}

/** Reads the baselines of a project one after the other: no more than one is in memory. */
export function* storedBaselines(root: string): Generator<StoredBaseline, void, undefined> {
  for (const file of baselineFiles(root)) {
    const stored = readStored(root, file);
    if (stored !== undefined) yield stored;
  }
}

/** Reads one baseline; undefined if its file no longer exists. */
export function readStored(root: string, file: BaselineFile): StoredBaseline | undefined {
  const text = readText(file.path);
  const target = targetName(root, file.path);
  return text === undefined ? undefined : { ...file, target, text, baseline: parseBaseline(text, target) };
}

/** Returns the problem of a baseline file's text as one sentence, or undefined. `file` is its name in messages. */
export function damageMessage(text: string, path: string, file: string): string | undefined {
  const parsed = parseBaseline(text, file);
  if (!parsed.ok) return parsed.error;
  const problem = verifySerialized(text);
  if (problem !== undefined) return `Cannot use ${file}: ${problem}.`;
  const isAtOwnPath =
    basename(dirname(path)) === groupDirectory(groupOf(parsed.value)) &&
    matchesCaseFile(identityOf(parsed.value))(basename(path));
  return isAtOwnPath ? undefined : `Cannot use ${file}: its path doesn't match its case.`;
}

/** The options that choose among baselines, as {@link caseFilter} reads them. */
export const FILTER_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--step <name>",
    description: "only baselines of this step or test file; * matches any characters; repeatable",
    repeatable: true,
  },
  ...CASE_OPTIONS,
];

/**
 * Creates the filter of a command line: one of the steps, one of the names, every label and every fact. The error is
 * one sentence on an invalid fact.
 */
export function caseFilter(input: CommandInput): Result<(baseline: Baseline) => boolean, string> {
  const facts = metaFacts(input);
  if (!facts.ok) return facts;
  const [steps, names, labels] = [input.list("step"), input.list("name"), input.list("label")];
  return ok((baseline) => {
    const { name, meta } = baseline;
    if (steps.length > 0 && !steps.some((pattern) => matchesName(pattern, groupOf(baseline)))) return false;
    if (names.length > 0 && (name === undefined || !names.includes(name))) return false;
    if (!labels.every((label) => baseline.labels.includes(label))) return false;
    return facts.value.every(([key, value]) => Object.hasOwn(meta, key) && String(meta[key]) === value);
  });
}

/** Returns the short id of the last receipt that wrote each baseline, by target. */
export function lastReceipts({ notes }: ProjectPaths): ReadonlyMap<string, string> {
  return new Map(
    writtenReceipts(notes).flatMap((receipt) =>
      receipt.changes.map(({ target }) => [target, shortId(receipt)] as const),
    ),
  );
}

/** Returns every receipt that changed a baseline, the newest first. */
export function receiptsOf(target: string, { notes }: ProjectPaths): readonly Receipt[] {
  return writtenReceipts(notes)
    .filter(({ changes }) => changes.some((change) => change.target === target))
    .toReversed();
}
