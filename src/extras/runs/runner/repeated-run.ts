import { stableStringify } from "../../../kernel/json/canonical-json.ts";
import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { quote } from "../../../kernel/text.ts";
import type { Decision } from "../../../kernel/step/block.ts";
import { type StepFailure, fail } from "../../../kernel/step/fail.ts";
import { storedForm } from "../../../record/encode/encode.ts";
import type { BlockResolutions, StoredWholeRun } from "../../../kernel/step/whole-run.ts";

/** The parts of a stored run of a complete workflow that a repetition of it uses. */
export class RepeatedRun {
  readonly resolve: BlockResolutions | undefined;
  readonly #output: unknown;
  /** Outputs that the repetition hasn't returned so far, by step; undefined if it may return others. */
  readonly #outputs: Map<string, string[]> | undefined;

  constructor({ output, resolve, outputs }: StoredWholeRun) {
    this.resolve = resolve;
    this.#output = output;
    if (outputs === undefined) return;
    this.#outputs = new Map();
    for (const { step, output: own } of outputs)
      this.#outputs.set(step, [...(this.#outputs.get(step) ?? []), stableStringify(storedForm(own))]);
  }

  /** Returns the field that names the runs of a step; undefined if they're counted. */
  fieldOf(step: string): string | undefined {
    const { [step]: field } = memberOf(this.#output, "runsBy");
    return typeof field === "string" ? field : undefined;
  }

  /** Returns the stored decision about a run's block; undefined if it stayed open. */
  decisionOf(step: string, run: string): Decision | undefined {
    const { answer } = memberOf(this.#output, "decisions", step, run);
    if (answer === "approve" || answer === "reject") return { kind: answer };
    if (!isPlainObject(answer)) return undefined;
    if ("resume" in answer) return { kind: "resume", data: answer["resume"] };
    const { override, removes } = answer;
    if (!isPlainObject(override)) return undefined;
    const removed = Array.isArray(removes) ? removes.map((field) => [String(field), undefined] as const) : [];
    return { kind: "override", patch: { ...override, ...Object.fromEntries(removed) } };
  }

  /** Returns a failure if the stored run's step has no such output left. */
  accountFor(step: string, output: object): StepFailure | undefined {
    if (this.#outputs === undefined) return undefined;
    const left = this.#outputs.get(step) ?? [];
    const index = left.indexOf(stableStringify(storedForm(output)));
    if (index === -1)
      return fail(
        "not_reproduced",
        `Step ${quote(step)} returned an output that differs from all its ` +
          "outputs in the stored run. Check what changed in the step.",
      );
    this.#outputs.set(step, left.toSpliced(index, 1));
    return undefined;
  }

  /** Returns a failure if the stored run has outputs that weren't returned. */
  missing(): StepFailure | undefined {
    const [step] = [...(this.#outputs ?? [])].find(([, left]) => left.length > 0) ?? [];
    if (step === undefined) return undefined;
    return fail(
      "not_reproduced",
      `Step ${quote(step)} ran fewer times than in the stored run. Check what changed in the workflow.`,
    );
  }
}

/** Returns the record at a path, or an empty one. */
function memberOf(value: unknown, ...path: readonly string[]): Readonly<Record<string, unknown>> {
  let member = value;
  for (const key of path) member = isPlainObject(member) && Object.hasOwn(member, key) ? member[key] : undefined;
  return isPlainObject(member) ? member : {};
}
