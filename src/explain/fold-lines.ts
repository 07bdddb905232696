import { formatValue } from "../kernel/diff/format-value.ts";
import type { Detail } from "./detail.ts";
import { shortPaths } from "./distinct-details.ts";
import { foldValues } from "./fold-details.ts";

/** Returns details as every output of lines shows them: as `foldValues`, and with long paths cut. */
export function foldDetails(details: readonly Detail[]): readonly Detail[] {
  return shortPaths(foldValues(details, formatValue));
}
