import type { PropertyMatchers } from "./extras/properties/matcher-types.ts";
import type { CoreMatchers } from "./matchers/types.ts";

/** The matchers veritest adds to `expect`, as their callers see them. */
export interface BaselineMatchers extends CoreMatchers, PropertyMatchers {}
