/*
 * Decides what a run or a command may write, in CI and elsewhere. A test run follows the runner's own snapshot mode,
 * which is "none" in CI. The end of a run, and each command that writes, refuses CI a second time by its actor.
 */
import { CI_VARIABLES, isOn, readVariable } from "./environment.ts";

/** Baselines that a test run writes: every change, only new ones, or none. */
export type UpdateMode = "all" | "new" | "none";

/**
 * Update mode in the runner's snapshot state: `snapshotUpdateState` in newer versions of Vitest, `_updateSnapshot` in
 * Jest.
 */
export interface SnapshotMode {
  readonly snapshotUpdateState?: UpdateMode;
  readonly _updateSnapshot?: UpdateMode;
}

/**
 * Returns the mode of a test run, for its workers: `-u` is "all". The runner alone decides it: no option or variable of
 * veritest does. The reporters pass `-u` to the run's end (`RunEnd.update`).
 */
export function updateMode(state: SnapshotMode): UpdateMode {
  return state.snapshotUpdateState ?? state._updateSnapshot ?? "none";
}

/** Returns one sentence if the actor is CI, which never writes; undefined for everyone else. */
export function ciRefusal(
  { kind, because }: { readonly kind: string; readonly because: string },
  act = "writes baselines",
): string | undefined {
  return kind === "ci" ? `CI never ${act} (${because}).` : undefined;
}

/** Returns true if changes that aren't written stay pending: always, but in CI only in a state directory to upload. */
export function keepsPending(writes: boolean, environment: NodeJS.ProcessEnv): boolean {
  return writes || readVariable(environment, "VERITEST_STATE_DIR") !== undefined;
}

/** Variable that the reporter sets under Jest's `--ci`, which workers don't know. */
export const JEST_CI = "VERITEST_JEST_CI" as const;

/** Returns the variable that marks a CI job, if there is one. `CI=false` overrules those of CI services and Jest. */
export function ciVariable(environment: NodeJS.ProcessEnv): string | undefined {
  if (readVariable(environment, "CI") !== undefined) return isOn(environment, "CI") ? "CI" : undefined;
  return [...CI_VARIABLES, JEST_CI].find((name) => isOn(environment, name));
}

/** Returns true in a CI job. */
export function isCi(environment: NodeJS.ProcessEnv): boolean {
  return ciVariable(environment) !== undefined;
}
