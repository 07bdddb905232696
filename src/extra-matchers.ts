import { loadLaws } from "./extras/properties/load-laws.ts";
import { importInTurn } from "./kernel/import-in-turn.ts";
import type { ExtraMatchers } from "./matchers/create-matchers.ts";

/** Matchers of the extras, and the workflow runner of stored runs: each is loaded by the first test that needs it. */
export const EXTRA_MATCHERS: ExtraMatchers = {
  checks: {
    toHoldLaws: async () => (await loadLaws()).toHoldLaws,
    toSurviveFaults: async () => (await loadLaws()).toSurviveFaults,
  },
  workflowStep: async (workflow, options) => {
    const loaded = await importInTurn(async () => import("./extras/runs/runner/workflow-step.ts"));
    return loaded.workflowStep(workflow, options);
  },
};
