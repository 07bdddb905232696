import type { SatisfyPropertiesOptions } from "./check-properties.ts";
import type { SurviveFaultsOptions } from "./to-survive-faults.ts";

/** The matchers that properties add to `expect`, as their callers see them. */
export interface PropertyMatchers {
  /** The properties of the step pass for generated inputs; needs fast-check. Must be awaited. */
  toSatisfyProperties(options?: SatisfyPropertiesOptions): Promise<void>;
  /** The step survives faults of its recorded calls: it ends in a code or a valid output. Must be awaited. */
  toSurviveFaults(options?: SurviveFaultsOptions): Promise<void>;
}
