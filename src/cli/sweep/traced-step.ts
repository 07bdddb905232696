import { traceTotals } from "../../llm/trace-totals.ts";
import type { ReportUsage } from "../../reporter/run-model.ts";
import type { Artifact } from "../../step/artifact.ts";
import type { AnyStep } from "../../step/define-step.ts";

/** A step whose runs are listened to. */
export interface TracedStep {
  readonly step: AnyStep;
  /** What the model calls of its last run cost, by the traces that adapters of `veritest/llm` keep; null where it kept none. */
  usage(): ReportUsage | null;
}

/** Listens to what the runs of a step keep: a check does not tell what its run cost. */
export function tracedStep(step: AnyStep): TracedStep {
  let kept: Artifact[] = [];
  const traced: AnyStep = {
    ...step,
    run(input, ctx) {
      const own: Artifact[] = [];
      kept = own;
      const onArtifact = (artifact: Artifact | Promise<Artifact>): void => {
        ctx.onArtifact?.(artifact);
        // One that cannot be made is told by whoever asked for it.
        Promise.resolve(artifact).then((made) => own.push(made), () => undefined);
      };
      return step.run(input, { ...ctx, onArtifact });
    },
  };
  return {
    step: traced,
    usage() {
      const { calls, usage } = traceTotals(kept);
      return calls === 0 ? null : { calls, inputTokens: usage.input, outputTokens: usage.output };
    },
  };
}
