import { type Result, err, ok } from "../../base/result.ts";
import { quote } from "../../base/text.ts";
import { type Baseline, groupOf } from "../../baseline/baseline.ts";
import { fitsName } from "../../settle/gates/policy-gates.ts";
import type { CommandInput } from "../command-input.ts";
import type { OptionSpec } from "../command.ts";

/** The options that choose among baselines, as {@link caseFilter} reads them. */
export const FILTER_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--step <name>",
    description: "only of this step, or of this test file; * stands for any characters; may be repeated",
    repeatable: true,
  },
  { flags: "--name <name>", description: "only cases of this name; may be repeated", repeatable: true },
  { flags: "--label <label>", description: "only with this label; with each, if repeated", repeatable: true },
  { flags: "--meta <key=value>", description: "only with this fact; with each, if repeated", repeatable: true },
];

/** Makes the choice that a command line asks for: one of the steps, one of the names, every label and every fact. */
export function caseFilter(input: CommandInput): Result<(baseline: Baseline) => boolean, string> {
  const [steps, names, labels] = [input.list("step"), input.list("name"), input.list("label")];
  const facts = input.list("meta").map((text) => ({ text, at: text.indexOf("=") }));
  const odd = facts.find(({ at }) => at < 1);
  if (odd !== undefined) return err(`--meta takes key=value, not ${quote(odd.text)}.`);
  return ok((baseline) => {
    const { name, meta } = baseline;
    if (steps.length > 0 && !steps.some((pattern) => fitsName(pattern, groupOf(baseline)))) return false;
    if (names.length > 0 && (name === undefined || !names.includes(name))) return false;
    if (!labels.every((label) => baseline.labels.includes(label))) return false;
    return facts.every(({ text, at }) => {
      const key = text.slice(0, at);
      return Object.hasOwn(meta, key) && String(meta[key]) === text.slice(at + 1);
    });
  });
}
