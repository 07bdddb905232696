import type { Block } from "../../../kernel/step/block.ts";
import type { RunStatus, RunSummary } from "./contract.ts";
import type { CountedRun } from "./memory-commands.ts";

/** A run of a memory store, with its columns. */
export interface MemoryRun extends CountedRun {
  version: number;
  computed: Record<string, string>;
  overlay: string;
  readonly created_at: number;
  updated_at: number;
  readonly entries: Readonly<Record<string, unknown>>[];
  /** Versions of committed steps, by step id. */
  readonly steps: Map<string, number>;
  /** Open blocks. */
  readonly open: Set<MemoryBlock>;
  cancelled: boolean;
}

/** A block of a memory store, with its columns. */
export interface MemoryBlock {
  readonly block_id: string;
  readonly workflow_id: string;
  readonly workflow_version: string;
  readonly run_id: string;
  readonly step_id: string;
  readonly step_name: string;
  readonly kind: Block["kind"];
  readonly detail: string;
  readonly opened_at: number;
  resolved_at: number | null;
  resolution: string | null;
}

/** Derives the status of a run from its rows. */
export function memoryStatusOf({ open, unfinished, joining, failed, otherVersion, cancelled }: MemoryRun): RunStatus {
  if (cancelled) return "cancelled";
  if (open.size > 0) return "blocked";
  if (otherVersion.size > 0) return "unknown_version";
  if (unfinished > joining) return "running";
  return failed > 0 ? "failed" : "completed";
}

/** Orders blocks for a list. */
export function oldestFirst(a: MemoryBlock, b: MemoryBlock): number {
  if (a.opened_at !== b.opened_at) return a.opened_at - b.opened_at;
  const [left, right] = [a, b].map(({ workflow_id, run_id, block_id }) => [workflow_id, run_id, block_id].join("\0"));
  return (left ?? "") < (right ?? "") ? -1 : 1;
}

/** Orders runs for a list. */
export function newestFirst(
  a: Pick<RunSummary, "createdAt" | "workflowId" | "runId">,
  b: Pick<RunSummary, "createdAt" | "workflowId" | "runId">,
): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  if (a.workflowId !== b.workflowId) return a.workflowId < b.workflowId ? -1 : 1;
  if (a.runId === b.runId) return 0;
  return a.runId < b.runId ? -1 : 1;
}
