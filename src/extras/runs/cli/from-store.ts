import type { FromSource } from "../../../cli/cases/from-source.ts";
import { CAPTURE_FROM_OPTIONS, FROM_OPTIONS, runWithStoredRuns, withoutFrom } from "./run-with-store.ts";
import { captureStored } from "./capture-stored.ts";
import { RunCases, runTargets } from "./run-cases.ts";

/** The runs of a store, as the source of cases that `--store` names. */
export const FROM_STORE: FromSource = {
  options: FROM_OPTIONS,
  captureOptions: CAPTURE_FROM_OPTIONS,
  withoutFrom,
  open: async (input, io, work) =>
    runWithStoredRuns(input, io, async (runs) =>
      work({ targets: runTargets, cases: (targets) => new RunCases(runs, targets) }),
    ),
  capture: captureStored,
};
