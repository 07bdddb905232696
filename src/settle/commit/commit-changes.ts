import { resolve } from "node:path";
import { displayPath } from "../../baseline/library.ts";
import type { Proposal } from "../../baseline/proposal.ts";
import { readText } from "../../files/read.ts";
import { type ReceiptKind, type ReceiptRunner, versions } from "../../notes/receipt.ts";
import type { Places } from "../../files/places.ts";
import { type Commitment, commitProposals } from "./commit-proposals.ts";
import type { GateReport } from "../gates/ask-gates.ts";
import { type PendingChange, proposalFrom } from "../pending/pending-change.ts";
import type { Policy } from "../policy.ts";
import type { Settler } from "../gates/policy-gates.ts";
import type { Occasion } from "./transact.ts";

/** Everything a receipt says but the changes. */
export interface SettlementFacts {
  readonly kind: ReceiptKind;
  readonly places: Places;
  readonly run: string;
  readonly policy: Pick<Policy, "scope">;
  readonly settler: Settler;
  readonly report: GateReport;
  readonly runner: ReceiptRunner | undefined;
  readonly now: Date;
}

/** Writes changes that every gate let pass, as one transaction with its receipt. */
export function commitChanges(changes: readonly PendingChange[], facts: SettlementFacts): Commitment {
  const { places } = facts;
  const proposals: Proposal[] = [];
  for (const change of changes) {
    const path = resolve(places.root, change.target);
    const proposal = proposalFrom(change, places.root, readText(path));
    if (proposal !== undefined) proposals.push(proposal);
    else if (!holds(path, change))
      return {
        kind: "refused",
        problem: `${displayPath(path)} changed since it was compared. Nothing was written: run the test again.`,
      };
  }
  return commitProposals(proposals, { places, occasion: occasionOf(facts) });
}

/** The head of a receipt. */
export function occasionOf({ kind, run, policy, settler, report, runner, now }: SettlementFacts): Occasion {
  const { gitHead, dirty, gates } = report;
  return {
    kind,
    at: now.toISOString(),
    run,
    actor: settler.actor,
    ...(settler.reason === undefined ? {} : { reason: settler.reason }),
    scope: policy.scope,
    ...(gitHead === undefined ? {} : { gitHead }),
    dirty,
    gates,
    ...(runner === undefined ? {} : { runner }),
    versions: versions(),
  };
}

/** True when somebody wrote the proposed text already. */
function holds(path: string, { text }: PendingChange): boolean {
  return readText(path) === text;
}
