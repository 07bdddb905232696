import { displayPath } from "../../baseline/baseline-library.ts";
import { type NetworkAccess, blockedMessage, waysToRecord } from "../../record/interceptors/network-guard.ts";
import { type StepError, kernelError } from "../../kernel/step/fail.ts";
import type { Check, Findings } from "../check.ts";
import type { AdapterSource } from "./adapter-source.ts";

/** Error code of a run that sends requests outside its adapters and recorders during a replay. */
export const NETWORK_REFUSED = "network_refused";

/** Returns the error of a run with a blocked connection, if any, of which `failureOfRun` makes the verdict. */
export function blockedNetworkError(reached: readonly NetworkAccess[]): StepError | undefined {
  const blocked = reached.find((reach) => reach.blocked);
  return blocked && kernelError(NETWORK_REFUSED, blockedMessage(blocked, displayPath(blocked.at)));
}

/** Returns the report of a run with responses from outside adapters and recorders; empty for other runs. */
export function networkAccessOf(
  source: Pick<AdapterSource, "networkAccess" | "calls">,
): Pick<Findings, "networkAccess"> {
  const reached = source.networkAccess();
  if (reached.length === 0) return {};
  const locations = reached.map(({ host, at }) => (at === "" ? host : `${host} (${displayPath(at)})`));
  return { networkAccess: { locations, recordedCalls: source.calls().length } };
}

/** Number of locations that are listed before the rest is counted. */
const MAX_LOCATIONS = 3;

/** Remark that the baseline of a run with outside responses covers less than it seems to; empty for other runs. */
export function unrecordedNetworkWarning({ update, findings }: Pick<Check, "findings" | "update">): string[] {
  const words = update?.state === "toWrite" ? networkAccessText(findings) : undefined;
  if (words === undefined) return [];
  const { recordedCalls = 0 } = findings.networkAccess ?? {};
  return [
    `captured with ${recordedCalls} ${recordedCalls === 1 ? "call" : "calls"}, but the step also called ` +
      `${words} directly, so veritest didn't record those responses. To record them, ${waysToRecord()}`,
  ];
}

/** Describes a check's requests outside its adapters and recorders; undefined if there are none. Untrusted text. */
export function networkAccessText({ networkAccess }: Findings): string | undefined {
  if (networkAccess === undefined) return undefined;
  const { locations } = networkAccess;
  const rest = locations.length - MAX_LOCATIONS;
  return [...locations.slice(0, MAX_LOCATIONS), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}
