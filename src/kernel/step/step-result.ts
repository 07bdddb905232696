import type { CompareBy, KeyBy } from "../diff/compare-rules.ts";
import { markOwn } from "../own-values.ts";
import type { Artifact } from "./artifact.ts";
import type { Command } from "./command.ts";
import type { AuditEvent } from "./context.ts";

/** Result of a successful step: plain data, ready to be stored. */
export interface StepResult<Input = unknown, Output extends object = object> {
  /** Input as the caller passed it, before parsing. It's a copy that the step can't change. */
  readonly input: Input;
  readonly output: Partial<Output>;
  readonly events: readonly AuditEvent[];
  readonly commands?: readonly Command[];
  /** Artifacts the adapters emitted; the kernel's own kinds are made when a snapshot is. */
  readonly artifacts: readonly Artifact[];
  readonly stepName: string;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly runId: string;
}

/** Registered, so that two copies of veritest (ESM and CJS) read each other's results. */
const KEY_BY = Symbol.for("veritest.keyBy");
const COMPARE = Symbol.for("veritest.compare");

/** Remembers with a result how its step identifies array elements, out of sight of serialisers and equality. */
export function rememberKeyBy<R extends StepResult>(result: R, keyBy: KeyBy): R {
  return Object.defineProperty(result, KEY_BY, { value: keyBy, enumerable: false });
}

/** Stores the comparison rules of a step with its result: the identity of array elements, and the tolerances. */
export function rememberStep<R extends StepResult>(
  result: R,
  { keyBy, compare }: { readonly keyBy: KeyBy; readonly compare: CompareBy },
): R {
  return Object.defineProperty(rememberKeyBy(markOwn(result), keyBy), COMPARE, { value: compare, enumerable: false });
}

/** The `keyBy` of the step that made a result; empty for a result that was built by hand or read from JSON. */
export function keyByOf(result: object): KeyBy {
  const keyBy: unknown = Reflect.get(result, KEY_BY);
  return isKeyBy(keyBy) ? keyBy : {};
}

/** Tolerances of the step that made a result; empty for a result that was built by hand or read from JSON. */
export function compareOf(result: object): CompareBy {
  const compare: unknown = Reflect.get(result, COMPARE);
  return isCompareBy(compare) ? compare : {};
}

/** Narrows anything to a {@link StepResult} by its shape. */
export function isStepResult(value: unknown): value is StepResult {
  return (
    typeof value === "object" &&
    value !== null &&
    ["input", "output", "events", "artifacts", "stepName", "workflowId", "runId"].every((key) => key in value)
  );
}

function isKeyBy(value: unknown): value is KeyBy {
  return typeof value === "object" && value !== null;
}

function isCompareBy(value: unknown): value is CompareBy {
  return typeof value === "object" && value !== null;
}
