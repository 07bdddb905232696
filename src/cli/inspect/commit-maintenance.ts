import type { Proposal } from "../../baseline/baseline.ts";
import type { Receipt } from "../../updates/receipts/receipt.ts";
import { occasionOf } from "../../updates/commit/commit-changes.ts";
import { commitProposals } from "../../updates/commit/commit-proposals.ts";
import { askPolicy } from "../../updates/gates/policy-gates.ts";
import { beginRun } from "../../updates/run-identity.ts";
import type { Settler } from "../../updates/settler.ts";

/** Gates that ask who acts and why: what git holds already, or says the same, was let pass by the others once. */
const ASKED: readonly string[] = ["actor", "reason"];

/** Returns the gates that a command asks that writes baselines without a run of a step. */
export function maintenanceGates(settler: Settler): ReturnType<typeof askPolicy> {
  return askPolicy([], settler).filter(({ name }) => ASKED.includes(name));
}

/** What a command writes, and how its receipt and its note tell it. */
interface Maintenance {
  /** Name of the command, as the receipt lists it among the gates. */
  readonly name: string;
  readonly gitHead: string | undefined;
  readonly body: string;
}

/** Writes files as one transaction, with a receipt and a note. */
export function commitMaintenance(
  proposals: readonly Proposal[],
  settler: Settler,
  { name, gitHead, body }: Maintenance,
): { readonly receipt: Receipt | undefined; readonly isWritten: boolean; readonly problem: string | undefined } {
  const { places, notes } = settler;
  const run = beginRun(places).id;
  const passed = [...maintenanceGates(settler).map((gate) => gate.name), name];
  const report = {
    gates: passed.map((gate) => ({ name: gate, ok: true, ms: 0 })),
    problems: [],
    gitHead,
    dirty: true,
  };
  const occasion = occasionOf({ kind: "commit", run, settler, report, runner: undefined });
  const commitment = commitProposals(proposals, { places, occasion });
  if (commitment.kind !== "committed") return { receipt: undefined, isWritten: false, problem: commitment.problem };
  const { receipt, problem } = commitment;
  notes.write({ type: "committed", run, body, refs: receipt === undefined ? [] : [receipt.id] });
  return { receipt, isWritten: true, problem };
}
