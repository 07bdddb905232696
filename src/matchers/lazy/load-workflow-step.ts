import { importInTurn } from "../../kernel/import-in-turn.ts";
import type * as workflowStep from "../../extras/runs/runner/workflow-step.ts";

export type { WholeRunOptions } from "../../extras/runs/runner/workflow-step.ts";

/** Loads what runs a workflow whole, with the first one that a matcher is given: no test of a step needs a store. */
export async function loadWorkflowStep(): Promise<typeof workflowStep> {
  return importInTurn(async () => import("../../extras/runs/runner/workflow-step.ts"));
}
