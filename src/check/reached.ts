import { displayPath } from "../baseline/library.ts";
import { type NetworkReach, refusalOf } from "../record/interceptors/open-network.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import type { Check } from "./check.ts";
import type { AdapterSource } from "./source.ts";

/** Error code of a run that sends requests outside its adapters and recorders during a replay. */
export const NETWORK_REFUSED = "network_refused";

/** Returns the error of a run that sent a forbidden request; undefined if it didn't. */
export function refusedReach(reached: readonly NetworkReach[]): StepError | undefined {
  const refused = reached.find((reach) => reach.refused);
  return refused && kernelError(NETWORK_REFUSED, refusalOf(refused, displayPath(refused.at)));
}

/** Returns the report of a run with responses from outside adapters and recorders; empty for other runs. */
export function reachedBy(source: Pick<AdapterSource, "reached" | "calls">): Pick<Check, "reached"> {
  const reached = source.reached();
  if (reached.length === 0) return {};
  const places = reached.map(({ host, at }) => (at === "" ? host : `${host} (${displayPath(at)})`));
  return { reached: { places, calls: source.calls().length } };
}

/** Number of locations that are listed before the rest is counted. */
const MAX_PLACES = 3;

/** Remark that the baseline of a run with outside responses covers less than it seems to; empty for other runs. */
export function capturedBeyond({ kept, reached }: Pick<Check, "kept" | "reached">): string[] {
  const words = kept === "written" ? reachedWords({ reached }) : undefined;
  if (words === undefined) return [];
  const { calls = 0 } = reached ?? {};
  return [
    `captured with ${calls} ${calls === 1 ? "call" : "calls"}: it reached ${words} outside of adapters and tapes, ` +
      "and no recording holds what that answered",
  ];
}

/** Describes a check's requests outside its adapters and recorders; undefined if there are none. Untrusted text. */
export function reachedWords({ reached }: Pick<Check, "reached">): string | undefined {
  if (reached === undefined) return undefined;
  const { places } = reached;
  const rest = places.length - MAX_PLACES;
  return [...places.slice(0, MAX_PLACES), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}
