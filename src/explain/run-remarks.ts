import type { Check } from "../check/check.ts";

/**
 * Returns remarks on a run that its verdict doesn't show, one line each. `record` says how to record its requests;
 * undefined if the case isn't replayed later.
 */
export function runRemarks(check: Check, record: string | undefined): string[] {
  return [
    ...(record === undefined ? [] : otherRequests(check, record)),
    ...otherHeaders(check),
    ...ignoredOrder(check),
  ];
}

/**
 * Warns of a changed prompt or model whose response is the same: the run is green here, and the same commit fails in
 * CI.
 */
function otherRequests({ verdict, update }: Check, record: string): string[] {
  if (verdict.kind !== "clean" || verdict.hasOtherRequests !== true || update?.state === "toWrite") return [];
  return [`requests differ from the recording (CI will fail): ${record}`];
}

/** Reports headers that may belong to another response than the replayed one. */
function otherHeaders({ findings: { otherHeaders: names = [] } }: Check): string[] {
  if (names.length === 0) return [];
  return [`request headers differ: ${names.join(", ")}. Add them to matchHeaders if the response depends on them`];
}

/** Reports a new order of a keyed list: in a ranking it would be a change. */
function ignoredOrder({ verdict, findings: { keyed = [] } }: Check): string[] {
  if (verdict.kind !== "clean" || verdict.isReordered !== true) return [];
  return [`keyBy ignores the order (${keyed.join(", ")}). If the order matters, use { by: "…", ordered: true }`];
}
