import type { AdapterCall } from "../record/adapter-call.ts";
import type { Snapshot } from "../record/snapshot.ts";
import type { Artifact } from "../kernel/step/artifact.ts";
import type { Command } from "../kernel/step/command.ts";
import type { AuditEvent } from "../kernel/step/context.ts";

/** The format this veritest writes; it reads this one and, by migration, every older one. */
export const BASELINE_VERSION = 2;

/** Metadata of a case, by which commands and matchers select cases. Never compared. */
export type BaselineMeta = Readonly<Record<string, string | number | boolean>>;

/** Fields at the start of each baseline file. */
interface BaselineHeader {
  readonly version: typeof BASELINE_VERSION;
  readonly labels: readonly string[];
  readonly meta: BaselineMeta;
}

/** One accepted execution of a step: enough to replay it and to recompute it. */
export interface StepBaseline extends BaselineHeader {
  readonly kind: "step";
  readonly step: string;
  readonly workflow: { readonly id: string; readonly version: string };
  /** Given when the case was named; else its identity is the input's hash. */
  readonly name?: string;
  readonly input: unknown;
  readonly inputHash: string;
  readonly output: unknown;
  readonly events: readonly AuditEvent[];
  readonly commands: readonly Command[];
  readonly calls: readonly AdapterCall[];
  /**
   * Artifacts in the order in which the step emitted them. Artifacts of the kernel and of calls contain only a hash,
   * because other fields of the baseline contain their content.
   */
  readonly artifacts: readonly Artifact[];
}

/** One accepted JSON value of a test file. */
export interface ValueBaseline extends BaselineHeader {
  readonly kind: "value";
  /** The base name of the test file it belongs to. */
  readonly test: string;
  readonly name: string;
  readonly value: unknown;
  readonly hash: string;
}

/** An accepted result, as one file next to the test stores it. */
export type Baseline = StepBaseline | ValueBaseline;

/** Identity of a case within its group (a step, or a test file's values): its name, or the hash of its input. */
export type CaseIdentity = { readonly name: string } | { readonly inputHash: string };

/** The identity of a baseline: never a per-test counter, so that retries, renames and order do not change it. */
export function identityOf(baseline: Baseline): CaseIdentity {
  if (baseline.name !== undefined) return { name: baseline.name };
  return { inputHash: baseline.kind === "step" ? baseline.inputHash : baseline.hash };
}

/** The group a baseline belongs to, which names its directory. */
export function groupOf(baseline: Baseline): string {
  return baseline.kind === "step" ? baseline.step : baseline.test;
}

/** A change of one baseline file that a test requests. It is written only when it is applied. */
export interface BaselineUpdate {
  readonly kind: "add" | "update" | "remove";
  /** Directory that contains all baselines of the test's directory; no file outside it is ever written. */
  readonly root: string;
  readonly path: string;
  /** The step the baseline is of, or the test file of a value. */
  readonly group: string;
  /** The file's text when the update was made; undefined if there was no file. */
  readonly before: string | undefined;
  /** The text to write; undefined to remove the file. */
  readonly after: string | undefined;
  /** The stored run from which it was made, if any: `claims/claim-17`. */
  readonly from?: string | undefined;
  /** Set if it writes other requests and keeps the recorded responses. */
  readonly kept?: "responses" | undefined;
}

/**
 * A step baseline as the kernel's snapshot, each artifact with its content put back. `capturedAt` is 0: files have no
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
