import type { AnyStep } from "../../kernel/step/define-step.ts";
import { type ModelCallUsage, modelCallUsages } from "../../record/model-usage.ts";
import { loadCalls, roleRulesOf } from "../step-call-rules.ts";
import type { AdapterSource } from "./adapter-source.ts";

/** Calls of a run that count for costs and budgets. */
export interface CallUsage {
  /** Requests to models. */
  readonly modelCalls: readonly ModelCallUsage[];
  /** Requests to models that are replayed in a live run. They cost nothing. */
  readonly replayed?: readonly ModelCallUsage[] | undefined;
  /** Calls of tools, reads and writes. */
  readonly toolCalls: number;
}

/** Returns the usage of a run's calls: of the live and the replayed ones if it has both. */
export async function callUsage(source: Pick<AdapterSource, "calls" | "mixed">, step: AnyStep): Promise<CallUsage> {
  const { costsOfRecording } = await loadCalls();
  const roles = roleRulesOf(step);
  const { replayed: replayedCalls = [], live: liveCalls = [] } = Object.groupBy(source.calls(), ({ adapter }) =>
    source.mixed?.isLive(adapter) === false ? "replayed" : "live",
  );
  const live = costsOfRecording(liveCalls, ...roles);
  const replayed = costsOfRecording(replayedCalls, ...roles);
  // A live call that reports tokens costs money, also without the role of a model.
  const modelCalls =
    live.modelCalls.length > 0 || replayed.modelCalls.length === 0 ? live.modelCalls : modelCallUsages(liveCalls);
  return { modelCalls, replayed: replayed.modelCalls, toolCalls: live.toolCalls + replayed.toolCalls };
}
