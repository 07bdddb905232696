import { importInTurn } from "../base/import-in-turn.ts";
import type * as workflowStep from "../runner/workflow-step.ts";

export type { WholeRunOptions } from "../runner/workflow-step.ts";

/** Loads what runs a workflow whole, with the first one that a matcher is given: no test of a step needs a store. */
export async function loadWorkflowStep(): Promise<typeof workflowStep> {
  return importInTurn(async () => import("../runner/workflow-step.ts"));
}
