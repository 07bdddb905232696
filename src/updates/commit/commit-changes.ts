import { resolve } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { messageOf } from "../../kernel/thrown.ts";
import { displayPath } from "../../baseline/library.ts";
import type { Proposal } from "../../baseline/baseline.ts";
import { readText } from "../../kernel/files/read.ts";
import { type Receipt, type ReceiptKind, type ReceiptRunner, versions } from "../receipts/receipt.ts";
import { type Commitment, commitProposals } from "./commit-proposals.ts";
import type { GateReport } from "../gates/ask-gates.ts";
import { type PendingChange, proposalFrom } from "../pending/pending-change.ts";
import type { Settler } from "../settler.ts";
import type { Occasion } from "./transact.ts";

/** Everything a receipt says but the changes. */
export interface SettlementFacts {
  readonly kind: ReceiptKind;
  readonly run: string;
  readonly settler: Settler;
  readonly report: GateReport;
  readonly runner: ReceiptRunner | undefined;
  /** The ids of the groups that were settled as such; none where undefined. */
  readonly groups?: readonly string[] | undefined;
}

/** Writes changes that every gate let pass, as one transaction with its receipt. */
export function commitChanges(changes: readonly PendingChange[], facts: SettlementFacts): Commitment {
  const { places } = facts.settler;
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
export function occasionOf({ kind, run, settler, report, runner, groups = [] }: SettlementFacts): Occasion {
  const { gitHead, dirty, gates } = report;
  return settler.hide({
    kind,
    at: settler.now.toISOString(),
    run,
    actor: settler.actor,
    ...(settler.reason === undefined ? {} : { reason: settler.reason }),
    scope: settler.policy.scope,
    ...(gitHead === undefined ? {} : { gitHead }),
    dirty,
    gates,
    ...(runner === undefined ? {} : { runner }),
    ...(groups.length === 0 ? {} : { groups }),
    versions: versions(),
  });
}

/**
 * Appends the receipt of changes that are left as they were: held back, discarded or rejected. One sentence where the
 * disk takes none: what there is to say of the changes must be said all the same.
 */
export function receiptOfNothing(
  changes: readonly PendingChange[],
  facts: SettlementFacts,
  txId: string = facts.run,
): Result<Receipt, string> {
  const left = changes.map(({ target, before, after, from }) => ({
    target,
    before,
    after,
    ...(from === undefined ? {} : { from }),
  }));
  try {
    return ok(facts.settler.receipt({ ...occasionOf(facts), txId, changes: left }));
  } catch (thrown) {
    return err(`There is no receipt of it: ${messageOf(thrown)}`);
  }
}

/** The facts where every gate let changes pass and the commit itself was refused. */
export function withRefusal(facts: SettlementFacts, problem: string): SettlementFacts {
  const gates = [...facts.report.gates, { name: "commit", ok: false, detail: problem, ms: 0 }];
  return { ...facts, report: { ...facts.report, gates } };
}

/** True when somebody wrote the proposed text already. */
function holds(path: string, { text }: PendingChange): boolean {
  return readText(path) === text;
}
