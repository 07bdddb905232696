import { loadProperties } from "./extras/properties/load-properties.ts";
import { importSequentially } from "./kernel/import-sequentially.ts";
import type { ExtraMatchers } from "./matchers/create-matchers.ts";

/** Matchers of the extras, and the workflow runner of stored runs: each is loaded by the first test that needs it. */
export const EXTRA_MATCHERS: ExtraMatchers = {
  checks: {
    toSatisfyProperties: async () => (await loadProperties()).toSatisfyProperties,
    toSurviveFaults: async () => (await loadProperties()).toSurviveFaults,
  },
  workflowStep: async (workflow, options) => {
    const loaded = await importSequentially(async () => import("./extras/runs/runner/workflow-step.ts"));
    return loaded.workflowStep(workflow, options);
  },
};
