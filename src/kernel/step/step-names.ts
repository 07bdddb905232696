import { sharedValue } from "../shared-value.ts";

const stepNames = sharedValue("step-names", isNameSet, () => new Set<string>());

function isNameSet(value: unknown): value is Set<string> {
  return value instanceof Set;
}

/** Names of the steps defined in this process so far: in a runner's worker, those of the test file and its imports. */
export function definedSteps(): ReadonlySet<string> {
  return stepNames();
}

/** Adds the name of a step that is being defined. */
export function noteStep(name: string): void {
  stepNames().add(name);
}
