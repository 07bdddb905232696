/** A test runner of the matrix: the project under `fixtures/projects/` that pins its version. */
export interface Runner {
  readonly name: string;
  readonly kind: "vitest" | "jest";
}

/** Every runner that is supported. Vitest 4.0 has a row of its own: only from 4.1 on does Vitest have `aroundEach`. */
export const runners: readonly Runner[] = [
  { name: "vitest-3", kind: "vitest" },
  { name: "vitest-4.0", kind: "vitest" },
  { name: "vitest-4", kind: "vitest" },
  { name: "vitest-5", kind: "vitest" },
  { name: "jest-29", kind: "jest" },
  { name: "jest-30", kind: "jest" },
];

/** The newest of each kind, for tests of what no runner's version changes: verdicts, files, commands, reports. */
export const newest: readonly Runner[] = runners.filter(({ name }) => name === "vitest-5" || name === "jest-30");

/** The oldest and the newest of each kind: Vitest 3 has no `aroundEach`, as Vitest 4.0, and Vitest 5 has it, as 4.1. */
const ENDS: readonly Runner[] = runners.filter(({ name }) => name === "vitest-3" || name === "jest-29").concat(newest);

/** True if each test runs on every row. */
export const isFull: boolean = process.env["VERITEST_E2E"] === "full";

/**
 * Returns the rows of tests whose results depend on the kind of runner, and hardly on its version: those in `usual`, or
 * all with `VERITEST_E2E=full`. Tests of hooks, retries, contexts, pools and the ends of runs keep the oldest and the
 * newest version of each kind, and the main job in capture.test.ts runs on each row.
 */
export function sampled(rows: readonly Runner[], usual: readonly Runner[] = newest): readonly Runner[] {
  return isFull ? rows : rows.filter((row) => usual.includes(row));
}

/**
 * The newest Vitest, for tests of what no kind of runner changes: policies, pending updates, commands and stored files.
 * The newest of each kind, if all run.
 */
export const anyRunner: readonly Runner[] = sampled(
  newest,
  newest.filter(({ kind }) => kind === "vitest"),
);

/** Rows for tests of the worker (hooks, contexts, snapshots, how runs end): one for each major version, if all run. */
export const majors: readonly Runner[] = sampled(
  runners.filter(({ name }) => name !== "vitest-4.0"),
  ENDS,
);

/** The rows of both kinds for tests that differ between minor versions of Vitest, if all run. */
export const versions: readonly Runner[] = sampled(runners, ENDS);

/** The runners of the Vitest rows. */
export const vitestRunners: readonly Runner[] = versions.filter(({ kind }) => kind === "vitest");

/** The runners of the Jest rows. */
export const jestRunners: readonly Runner[] = versions.filter(({ kind }) => kind === "jest");
