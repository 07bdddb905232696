import type { ExtraOptions } from "./extra-matchers.ts";
import type { StoredOptions } from "./matchers/stored-matchers.ts";
import type { CoreMatchers, StoredCallers } from "./matchers/types.ts";

/** The matchers that veritest adds to `expect`. */
export interface BaselineMatchers extends CoreMatchers, StoredCallers<ExtraOptions> {}

/** Names of the matchers over stored baselines, of the core and of extras. */
export type StoredName = keyof StoredOptions | keyof ExtraOptions;
