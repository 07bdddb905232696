import type { BaselineUpdate } from "../../baseline/baseline.ts";
import type { Receipt } from "../../updates/receipts/receipt.ts";
import { receiptHead } from "../../updates/commit/commit-changes.ts";
import { commitUpdates } from "../../updates/commit/commit-updates.ts";
import { checkPolicy } from "../../updates/gates/check-policy.ts";
import { beginRun } from "../../updates/test-run.ts";
import type { UpdateContext } from "../../updates/update-context.ts";

/** Gates on the actor and the reason: the others passed once for a text that git has already, or an equal one. */
const GATES: readonly string[] = ["actor", "reason"];

/** Returns the gates that a command asks that writes baselines without a run of a step. */
export function maintenanceGates(context: UpdateContext): ReturnType<typeof checkPolicy> {
  return checkPolicy([], context).filter(({ name }) => GATES.includes(name));
}

/** Files that a command writes, and their description in its receipt and its note. */
interface Maintenance {
  /** Name of the command, as the receipt lists it among the gates. */
  readonly name: string;
  readonly gitHead: string | undefined;
  readonly body: string;
}

/** Writes files as one transaction, with a receipt and a note. */
export function commitMaintenance(
  updates: readonly BaselineUpdate[],
  context: UpdateContext,
  { name, gitHead, body }: Maintenance,
): { readonly receipt: Receipt | undefined; readonly isWritten: boolean; readonly problem: string | undefined } {
  const { paths, notes } = context;
  const run = beginRun(paths).id;
  const passed = [...maintenanceGates(context).map((gate) => gate.name), name];
  const report = {
    gates: passed.map((gate) => ({ name: gate, ok: true, ms: 0 })),
    problems: [],
    gitHead,
    dirty: true,
  };
  const occasion = receiptHead({ kind: "commit", run, context, report, runner: undefined });
  const commitment = commitUpdates(updates, { paths, receiptHead: occasion });
  if (commitment.kind !== "committed") return { receipt: undefined, isWritten: false, problem: commitment.problem };
  const { receipt, problem } = commitment;
  notes.write({ type: "committed", run, body, refs: receipt === undefined ? [] : [receipt.id] });
  return { receipt, isWritten: true, problem };
}
