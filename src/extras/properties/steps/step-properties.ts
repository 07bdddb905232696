import { isDeepStrictEqual } from "node:util";
import { stableStringify } from "../../../kernel/json/canonical-json.ts";
import { formatPath, quote } from "../../../kernel/text.ts";
import { messageOf } from "../../../kernel/error-message.ts";
import { displayPath } from "../../../baseline/baseline-library.ts";
import { compareOutcomes, entriesOfChanges } from "../../../check/compare/compare.ts";
import { formatEntry } from "../../../kernel/diff/format-diff.ts";
import {
  type KeyedItems,
  keyedPaths,
  mapKeyed,
  normalizeForDiff,
  uniqueIds,
} from "../../../kernel/diff/keyed-lists.ts";
import { storedParts } from "../../../record/snapshot.ts";
import { checkCommands } from "../../../kernel/step/check-commands.ts";
import type { AnyStep } from "../../../kernel/step/define-step.ts";
import type { Workflow } from "../../../kernel/step/define-workflow.ts";
import { effectiveState, overlayConflicts } from "../../../kernel/step/effective-state.ts";
import type { StepResult } from "../../../kernel/step/step-result.ts";
import { shuffled, shuffledAt } from "../shuffle.ts";
import type { ObservedTrial, TrialResult } from "./trial.ts";

/** Run on a generated input, and functions that run the step again. */
export interface Trial {
  readonly step: AnyStep;
  readonly input: unknown;
  readonly observed: ObservedTrial;
  /** By what lists are put into another order. */
  readonly order: number;
  /** Runs the step on this input again, with the very answers that it was given. */
  readonly again: () => Promise<TrialResult>;
  /** Runs the step on another input, with answers of the same kind. */
  readonly rerun: (input: unknown) => Promise<TrialResult>;
  /** Milliseconds until a run counts as hanging. */
  readonly limit: number;
  /** Paths of the input whose order doesn't matter. */
  readonly orderFree: readonly string[];
  /** Workflow whose steps commands may name; undefined if it is unknown. */
  readonly workflow: Pick<Workflow, "name" | "steps"> | undefined;
}

/** Property that each run is checked for. */
export interface StepProperty {
  readonly name: string;
  /** The property in one sentence. */
  readonly description: string;
  /** Returns the problem in words; undefined if the property passes. */
  readonly check: (trial: Trial) => string | undefined | Promise<string | undefined>;
}

/** Properties of every step, in the order in which they are checked: the most informative first. */
export const STEP_PROPERTIES: readonly StepProperty[] = [
  {
    name: "answers",
    description: "the step must not throw or hang; it returns errors with fail(code, message)",
    check: answers,
  },
  {
    name: "fits",
    description: "the output must be plain data that matches the schema, and the commands must be valid",
    check: fits,
  },
  {
    name: "pure",
    description: "the step must use time, random numbers and the network only through its adapters",
    check: pure,
  },
  {
    name: "repeats",
    description: "the same input and responses must give the same result, and the step must not change its input",
    check: repeats,
  },
  {
    name: "keyed",
    description: "keyBy must give each element of an output list its own key, in any order",
    check: keyed,
  },
  {
    name: "merges",
    description: "a person's edits of the output must match the schema, and must be kept",
    check: merges,
  },
  { name: "order-free", description: "the order of the lists in orderFree must not matter", check: orderFree },
];

/** Codes that say no more than that something was thrown. */
const THROWN = "execution_failed";

function answers({ observed: { ran, unstorable }, limit }: Trial): string | undefined {
  if (unstorable !== undefined) return undefined;
  if (ran === undefined) return `it didn't finish within ${limit} ms`;
  if (ran.ok) return undefined;
  if (ran.error.code.trim() === "") return `it ends in an error without a code: ${ran.error.message}`;
  return ran.error.code === THROWN ? `it threw: ${ran.error.message}` : undefined;
}

async function fits({ observed: { ran, unstorable }, workflow }: Trial): Promise<string | undefined> {
  if (unstorable !== undefined) return `it can't be stored: ${unstorable}`;
  if (ran === undefined) return undefined;
  if (!ran.ok) return ran.error.code === "output_validation" ? ran.error.message : undefined;
  const text = bytesOf(ran.value);
  if (text.problem !== undefined) return `it can't be stored: ${text.problem}`;
  const { commands = [] } = ran.value;
  if (commands.length === 0) return undefined;
  const problems = await checkCommands(commands, workflow);
  if (problems.length === 0) return undefined;
  return problems
    .map(({ index, message }) => (index === undefined ? message : `commands[${index}]: ${message}`))
    .join("; ");
}

function pure({ observed: { uses } }: Trial): string | undefined {
  if (uses.length === 0) return undefined;
  return `it uses ${uses.map(({ api, at }) => (at === "" ? api : `${api} (${displayPath(at)})`)).join(", ")}`;
}

async function repeats({ observed: { ran, inputChanged }, again }: Trial): Promise<string | undefined> {
  if (inputChanged) return "it changes its input";
  if (ran === undefined) return undefined;
  const next = await again();
  if (next === undefined) return "it didn't finish when it was run again";
  if (!ran.ok || !next.ok) return sameEnd(ran, next, "run again");
  const [before, after] = [bytesOf(ran.value), bytesOf(next.value)];
  if (before.text === after.text) return undefined;
  const rules = { parts: ["output", "commands", "events"], keyBy: {}, compare: {}, exact: true } as const;
  return `run again, it returns ${firstDifference(ran.value, next.value, rules) ?? "something else"}`;
}

function keyed({ step, observed: { ran }, order }: Trial): string | undefined {
  if (ran?.ok !== true || Object.keys(step.keyBy).length === 0) return undefined;
  const { output } = ran.value;
  try {
    const list = ({ items }: KeyedItems): unknown => shuffled(items, order);
    const other = mapKeyed(output, keyedPaths(step.keyBy), { idsOf: uniqueIds, list });
    const [first, second] = [normalizeForDiff(output, step.keyBy), normalizeForDiff(other, step.keyBy)];
    if (isDeepStrictEqual(first, second)) return undefined;
    return "in a different order, keyBy returns different keys for the same elements";
  } catch (thrown) {
    return messageOf(thrown).replace(/^keyBy: /, "");
  }
}

async function merges({ step, observed: { ran }, order }: Trial): Promise<string | undefined> {
  if (ran?.ok !== true) return undefined;
  const { output } = ran.value;
  // A person who confirms what was computed puts just that over it.
  const fields = Object.entries(output).filter((_, index) => (order >> (index % 30)) % 2 === 0);
  const overlay: Record<string, unknown> = Object.fromEntries(fields);
  const [conflict] = await overlayConflicts(step.partialOutputSchema, overlay);
  if (conflict !== undefined)
    return `a person can't confirm the computed value of ${formatPath(conflict.path.map(String))}: ${conflict.message}`;
  const seen: Record<string, unknown> = { ...effectiveState({ computed: {}, overlay }) };
  const lost = Object.keys(overlay).find((name) => seen[name] !== overlay[name]);
  return lost === undefined ? undefined : `a person's edit of ${quote(lost)} is lost`;
}

async function orderFree({
  step,
  input,
  observed: { ran },
  orderFree: paths,
  rerun,
  order,
}: Trial): Promise<string | undefined> {
  if (ran === undefined) return undefined;
  for (const path of paths) {
    const other = shuffledAt(input, path.split("."), order);
    if (other === undefined) continue;
    const next = await rerun(other);
    const change = `with ${path} in another order`;
    if (next === undefined) return `${change}, the step didn't finish`;
    // An order that its schema refuses isn't an input.
    if (!next.ok && next.error.code === "input_validation") continue;
    if (!ran.ok || !next.ok) {
      const problem = sameEnd(ran, next, change);
      if (problem !== undefined) return problem;
      continue;
    }
    const { keyBy, compare } = step;
    const rules = { parts: ["output", "commands"], keyBy, compare, fallsBackToIndex: true } as const;
    const changes = firstDifference(ran.value, next.value, rules);
    if (changes !== undefined) return `${change}, it returns ${changes}`;
  }
  return undefined;
}

type Ended = Exclude<TrialResult, undefined>;

/** Errors are the same if their codes are: messages may quote what they are about. */
function sameEnd(before: Ended, after: Ended, change: string): string | undefined {
  const [was, is] = [before, after].map((end) => (end.ok ? "a result" : end.error.code));
  return was === is ? undefined : `${change}, it ends in ${is} instead of ${was}`;
}

/** Returns the stored text of a result; the problem if it has no stored form. */
function bytesOf(result: StepResult): { readonly text?: string; readonly problem?: string } {
  try {
    return { text: stableStringify({ commands: [], ...storedParts(result) }) };
  } catch (thrown) {
    return { problem: messageOf(thrown) };
  }
}

/** Characters of a value that a sentence shows. */
const MAX_VALUE = 120;

/** Returns the first difference by some rules; undefined if there is none. */
function firstDifference(
  before: StepResult,
  after: StepResult,
  rules: Parameters<typeof compareOutcomes>[2],
): string | undefined {
  const { compared } = compareOutcomes(storedParts(before), storedParts(after), rules);
  const [first] = entriesOfChanges(compared);
  return first === undefined ? undefined : formatEntry(first, MAX_VALUE).trim();
}
