import { stableStringify } from "../../../kernel/json/canonical-json.ts";
import type { Block, Decision } from "../../../kernel/step/block.ts";
import type { BlockResolutions, StoredWholeRun } from "../../../kernel/step/whole-run.ts";
import { type AdapterCall, withoutOrder } from "../../../record/adapter-call.ts";
import { storedForm } from "../../../record/encode/encode.ts";
import { changeCalls } from "../../../record/redact-calls.ts";
import { captureArtifactSync } from "../../../record/snapshot.ts";
import { recordedCalls } from "../../../record/read-snapshot.ts";
import type { RunStore } from "../store/contract.ts";
import { StoreFailure, type StoredHistory, type StoredStep } from "../store/stored-steps.ts";

/** A stored run as one step of its workflow: its input and all of its calls, without an output. */
export interface WholeRun {
  readonly stored: StoredStep;
  /** Decisions and outputs of the run, for the repetition that makes the output. */
  readonly run: StoredWholeRun;
}

/** Reads a stored run as one step. Throws a `StoreFailure` if the store returns an error. */
export async function wholeRunOf(store: RunStore, { run, entries }: StoredHistory): Promise<WholeRun | undefined> {
  const [first] = entries;
  if (first === undefined) return undefined;
  const { workflowId, runId } = run;
  const blocks = await store.blocks.list({ workflowId, runId, resolved: true });
  if (!blocks.ok) throw new StoreFailure(blocks.error);
  const rows = await store.commands(workflowId, runId);
  if (!rows.ok) throw new StoreFailure(rows.error);
  const targets = new Map(rows.value.map(({ key, target }) => [key, target]));
  const steps = entries.filter(({ kind }) => kind === "step");
  const artifacts = numbered(steps.flatMap((step) => withoutOrder(recordedCalls(step)))).map((call) =>
    captureArtifactSync("adapter-call", call),
  );
  const nothing = { output: {}, events: [], commands: [], artifacts };
  return {
    stored: { run, entry: { ...first, ...nothing, kind: "step", stepName: workflowId } },
    run: {
      resolve: decisionsOf(blocks.value),
      outputs: steps.map(({ stepId, stepName, output }) => ({ step: targets.get(stepId) ?? stepName, output })),
    },
  };
}

/** Numbers equal requests over all steps. Reads of the run's own state aren't calls of the workflow. */
function numbered(calls: readonly AdapterCall[]): readonly AdapterCall[] {
  const own = calls.filter(({ adapter }) => adapter !== "run.state");
  return changeCalls(own, { request: (_adapter, request) => request });
}

/** Returns the decisions about blocks, found by their content: a repetition has other ids. */
function decisionsOf(blocks: readonly Block[]): BlockResolutions {
  const left = new Map<string, Decision[]>();
  for (const block of blocks) {
    const decision = block.resolution?.decision;
    if (decision !== undefined) left.set(contentOf(block), [...(left.get(contentOf(block)) ?? []), decision]);
  }
  const next = (block: Block): Decision | undefined => left.get(contentOf(block))?.shift();
  return {
    review: (block) => {
      const decision = next(block);
      if (decision?.kind === "override") return { override: decision.patch };
      return decision?.kind === "approve" || decision?.kind === "reject" ? decision.kind : undefined;
    },
    suspend: (_checkpoint: unknown, block: Block) => {
      const decision = next(block);
      return decision?.kind === "resume" ? decision.data : undefined;
    },
  };
}

function contentOf({ stepName, kind, reason, payload, checkpoint }: Block): string {
  return stableStringify(storedForm([stepName, kind, reason, payload ?? null, checkpoint ?? null]));
}
