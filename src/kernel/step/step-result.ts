import type { CallScope, RoleRules } from "../call-role.ts";
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
  /** Artifacts that the adapters emitted. veritest adds its own artifacts when you create a snapshot. */
  readonly artifacts: readonly Artifact[];
  readonly stepName: string;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly runId: string;
}

/** Registered, so that two copies of veritest (ESM and CJS) read each other's results. */
const KEY_BY = Symbol.for("veritest.keyBy");
const RULES = Symbol.for("veritest.stepRules");

/** Rules of a step by which its results are compared. */
export interface StepRules {
  /** Tolerances of the output. */
  readonly compare: CompareBy;
  readonly roles?: RoleRules;
  /** Calls that count. */
  readonly calls?: CallScope;
}

/** Remembers with a result how its step identifies array elements, out of sight of serialisers and equality. */
export function rememberKeyBy<R extends StepResult>(result: R, keyBy: KeyBy): R {
  return Object.defineProperty(result, KEY_BY, { value: keyBy, enumerable: false });
}

/** Stores the comparison rules of a step with its result, the identity of array elements too. */
export function rememberStep<R extends StepResult>(
  result: R,
  { keyBy, compare, roles, calls }: StepRules & { readonly keyBy: KeyBy },
): R {
  const value: StepRules = { compare, ...(roles && { roles }), ...(calls && { calls }) };
  return Object.defineProperty(rememberKeyBy(markOwn(result), keyBy), RULES, { value, enumerable: false });
}

/** The `keyBy` of the step that made a result; empty for a result that was built by hand or read from JSON. */
export function keyByOf(result: object): KeyBy {
  const keyBy: unknown = Reflect.get(result, KEY_BY);
  return isKeyBy(keyBy) ? keyBy : {};
}

/** Rules of the step that made a result; none for a result that was built by hand or read from JSON. */
export function stepRulesOf(result: object): StepRules {
  const rules: unknown = Reflect.get(result, RULES);
  return isStepRules(rules) ? rules : { compare: {} };
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

function isStepRules(value: unknown): value is StepRules {
  return typeof value === "object" && value !== null && "compare" in value;
}
