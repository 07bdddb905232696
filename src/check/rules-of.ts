import type { CompareBy } from "../base/compare-rules.ts";
import type { Check } from "./check.ts";

/** The rules a check was judged by, as it keeps them: nothing where there are none. */
export function rulesOf(compare: CompareBy): Pick<Check, "compare"> {
  return Object.keys(compare).length === 0 ? {} : { compare };
}
