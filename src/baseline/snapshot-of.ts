import type { Snapshot } from "../record/snapshot.ts";
import type { Artifact } from "../step/artifact.ts";
import type { StepBaseline } from "./baseline.ts";

/**
 * A step baseline as the kernel's snapshot, each artifact with its content put back. `capturedAt` is 0: files hold no
 * time.
 */
export function snapshotOf(baseline: StepBaseline): Snapshot {
  const { step, workflow, input, inputHash } = baseline;
  return {
    workflowId: workflow.id,
    workflowVersion: workflow.version,
    stepName: step,
    input,
    inputHash,
    artifacts: withContent(baseline),
    capturedAt: 0,
  };
}

function withContent({ output, events, commands, calls, artifacts }: StepBaseline): Artifact[] {
  let call = 0;
  return artifacts.map((artifact) => {
    switch (artifact.kind) {
      case "step-output":
        return { ...artifact, content: { output, events } };
      case "step-commands":
        return { ...artifact, content: commands };
      case "adapter-call":
        return { ...artifact, content: calls[call++] };
      default:
        return artifact;
    }
  });
}
