import { isDeepStrictEqual } from "node:util";
import { isObject, isPlainObject } from "../../../kernel/json/plain-data.ts";
import type { Artifact } from "../../../kernel/step/artifact.ts";
import type { BaseAdapters, StepContext } from "../../../kernel/step/context.ts";
import type { AnyStep, StepReturn } from "../../../kernel/step/define-step.ts";
import type { Workflow } from "../../../kernel/step/define-workflow.ts";
import { type StepFailure, isStepFailure } from "../../../kernel/step/fail.ts";
import { type Schema, parseWith, schemaOf } from "../../../kernel/step/schema.ts";
import { STEP_PARSES, type StoredWholeRun } from "../../../kernel/step/whole-run.ts";
import { decode } from "../../../record/encode/decode.ts";
import { storedForm } from "../../../record/encode/encode.ts";
import { captureArtifactSync, hashArtifact } from "../../../record/snapshot.ts";

/** Characters of JSON beyond which a parsed value isn't stored. */
const MAX_VALUE = 2000;
/** Digits of a hash that identify a value. */
const DIGITS = 16;

/** Result of a parse: true if it changed nothing, or the parsed value in its stored form. */
type Parse = true | { readonly value: unknown };

/**
 * Runs a workflow whose steps' parses are noted, in an artifact of the run: the search for a cause can run today's code
 * on the values of the capture. With stored parses, the steps get the stored values.
 */
export async function withStepParses<W extends Pick<Workflow, "steps">>(
  workflow: W,
  { stored, ctx }: { readonly stored: StoredWholeRun["parses"]; readonly ctx: StepContext<BaseAdapters> },
  run: (watched: W) => Promise<StepReturn | StepFailure>,
): Promise<StepReturn | StepFailure> {
  const parses = new StepParses(stored);
  const steps = Object.entries(workflow.steps).map(([name, step]) => [name, parses.watched(name, step)] as const);
  const returned = await run({ ...workflow, steps: Object.fromEntries(steps) });
  if (!isStepFailure(returned)) ctx.onArtifact?.(parses.artifact());
  return returned;
}

/** Values that the schemas of a workflow's steps parse in one run. */
class StepParses {
  /** Parses by schema (`rate.input`) and by the hash of the given value. */
  readonly #parses: Record<string, Record<string, Parse>> = {};
  readonly #stored: StoredWholeRun["parses"];

  constructor(stored: StoredWholeRun["parses"]) {
    this.#stored = stored;
  }

  watched(name: string, step: AnyStep): AnyStep {
    const output = [name, "output"];
    return Object.freeze({
      ...step,
      inputSchema: this.#schema([name, "input"], step.inputSchema, isAny),
      outputSchema: this.#schema(output, step.outputSchema, isObject),
      partialOutputSchema: this.#schema(output, step.partialOutputSchema, isObject),
    });
  }

  artifact(): Artifact {
    return captureArtifactSync(STEP_PARSES, this.#parses);
  }

  #schema<Value>(
    at: readonly string[],
    schema: Schema<unknown, Value>,
    isValue: (value: unknown) => value is Value,
  ): Schema<unknown, Value> {
    return schemaOf<Value>(async (value) => {
      const form = formOf(value);
      const known = form && this.#storedParse(at, form);
      const parsed = await parseWith(schema, value);
      if (form !== undefined && parsed.ok) this.#note(at, form, parsed.value);
      const stored = known && decode(known.value);
      if (known === undefined || !isValue(stored))
        return parsed.ok ? { value: parsed.value } : { issues: parsed.error.issues };
      this.#stored?.onParse(at, stored, parsed.ok ? parsed.value : undefined);
      return { value: stored };
    });
  }

  #note(at: readonly string[], { form, hash }: GivenForm, value: unknown): void {
    const parsed = formOf(value)?.form;
    if (parsed === undefined) return;
    const isSame = isDeepStrictEqual(parsed, form);
    if (!isSame && JSON.stringify(parsed).length > MAX_VALUE) return;
    (this.#parses[at.join(".")] ??= {})[hash()] = isSame || { value: parsed };
  }

  #storedParse(at: readonly string[], { form, hash }: GivenForm): { readonly value: unknown } | undefined {
    if (this.#stored === undefined) return undefined;
    const ofSchema = isPlainObject(this.#stored.content) ? this.#stored.content[at.join(".")] : undefined;
    const parse = isPlainObject(ofSchema) ? ofSchema[hash()] : undefined;
    if (parse === true) return { value: form };
    return isPlainObject(parse) ? { value: parse["value"] } : undefined;
  }
}

function isAny(_value: unknown): _value is unknown {
  return true;
}

/** A value in its stored form. */
interface GivenForm {
  readonly form: unknown;
  readonly hash: () => string;
}

/** Returns the stored form of a value; undefined if it can't be stored. */
function formOf(value: unknown): GivenForm | undefined {
  try {
    const form = storedForm(value);
    return { form, hash: () => hashArtifact(STEP_PARSES, form).hash.slice(-DIGITS) };
  } catch {
    return undefined;
  }
}
