import { displayPath } from "../baseline/library.ts";
import { type NetworkReach, refusalOf } from "../record/interceptors/open-network.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import type { Check } from "./check.ts";
import type { AdapterSource } from "./source.ts";

/** The code of a run that reached past its adapters and tapes where recorded answers are served. */
export const NETWORK_REFUSED = "network_refused";

/** The error of a run that reached where it may not; undefined where it did not. */
export function refusedReach(reached: readonly NetworkReach[]): StepError | undefined {
  const refused = reached.find((reach) => reach.refused);
  return refused && kernelError(NETWORK_REFUSED, refusalOf(refused, displayPath(refused.at)));
}

/** What is told of a run that was answered past adapters and tapes; nothing where it was not. */
export function reachedBy(source: Pick<AdapterSource, "reached" | "calls">): Pick<Check, "reached"> {
  const reached = source.reached();
  if (reached.length === 0) return {};
  const places = reached.map(({ host, at }) => (at === "" ? host : `${host} (${displayPath(at)})`));
  return { reached: { places, calls: source.calls().length } };
}

/** Places that are named before the rest is only counted. */
const MAX_PLACES = 3;

/** What is kept of a run that was answered from elsewhere stands for less than it seems to; nothing of any other. */
export function capturedBeyond({ kept, reached }: Pick<Check, "kept" | "reached">): string[] {
  const words = kept === "written" ? reachedWords({ reached }) : undefined;
  if (words === undefined) return [];
  const { calls = 0 } = reached ?? {};
  return [
    `captured with ${calls} ${calls === 1 ? "call" : "calls"}: it reached ${words} outside of adapters and tapes, ` +
      "and no recording holds what that answered",
  ];
}

/** What a check reached past its adapters and tapes, in words; undefined where that is nothing. Untrusted text. */
export function reachedWords({ reached }: Pick<Check, "reached">): string | undefined {
  if (reached === undefined) return undefined;
  const { places } = reached;
  const rest = places.length - MAX_PLACES;
  return [...places.slice(0, MAX_PLACES), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}
