import type { SatisfyPropertiesOptions } from "./extras/properties/property-subject.ts";
import { loadProperties } from "./extras/properties/load-properties.ts";
import type { SurviveFaultsOptions } from "./extras/properties/faults/to-survive-faults.ts";
import { importSequentially } from "./kernel/import-sequentially.ts";
import type { ExtraMatchers } from "./matchers/create-matchers.ts";
import type { StoredTable } from "./matchers/stored-matchers.ts";

/** Options of each matcher that extras bring, by its name: the types of both runners follow from it. */
export interface ExtraOptions {
  /**
   * Checks properties of the step with generated inputs. Requires fast-check. Await it.
   *
   * @example
   * await expect(totalOf).toSatisfyProperties({ orderFree: ["lines"] });
   */
  toSatisfyProperties: SatisfyPropertiesOptions;
  /**
   * Replays the step with failing calls, and checks that it ends with an error code or a valid output. Await it.
   *
   * @example
   * await expect(extractReceipt).toSurviveFaults();
   */
  toSurviveFaults: SurviveFaultsOptions;
}

const MATCHERS: StoredTable<ExtraOptions> = {
  toSatisfyProperties: { load: async () => (await loadProperties()).toSatisfyProperties },
  toSurviveFaults: { load: async () => (await loadProperties()).toSurviveFaults },
};

/** Matchers of the extras, and the workflow runner of stored runs: each is loaded by the first test that needs it. */
export const EXTRA_MATCHERS: ExtraMatchers = {
  matchers: { ...MATCHERS },
  workflowStep: async (workflow, options) => {
    const loaded = await importSequentially(async () => import("./extras/runs/runner/workflow-step.ts"));
    return loaded.workflowStep(workflow, options);
  },
};
