import { hashValueSync, hashWithContentSync } from "../base/hash.ts";
import { jsonOf } from "../base/json-of.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { captureArtifactSync } from "../record/capture-artifact.ts";
import { kernelArtifacts } from "../record/snapshot.ts";
import { normalizeCommands } from "../step/normalize-commands.ts";
import type { StepResult } from "../step/step-result.ts";
import { BASELINE_VERSION, type BaselineMeta, type StepBaseline, type ValueBaseline } from "./baseline.ts";

/** How a case is called and chosen. */
export interface CaseDetails {
  readonly name?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly meta?: BaselineMeta | undefined;
}

/** The parts of a result a baseline keeps. */
export type KeptResult = Pick<StepResult, "input" | "output" | "events" | "commands" | "artifacts" | "stepName" | "workflowId" | "workflowVersion">;

/** Makes the baseline of a result and its recorded adapter calls. Throws a TypeError for content JSON cannot hold. */
export function baselineOf(result: KeptResult, calls: readonly AdapterCall[], details: CaseDetails): StepBaseline {
  const { name, labels = [], meta = {} } = details;
  const commands = normalizeCommands(result.commands);
  const emitted = result.artifacts.filter(({ kind }) => kind !== "adapter-call");
  const kernel = kernelArtifacts(result).map(({ hash, kind }) => ({ hash, kind }));
  const callHashes = calls.map((call) => captureArtifactSync("adapter-call", call, { hashOnly: true }));
  return {
    version: BASELINE_VERSION,
    kind: "step",
    step: result.stepName,
    workflow: { id: result.workflowId, version: result.workflowVersion },
    ...(name === undefined ? {} : { name }),
    labels,
    meta,
    input: result.input,
    inputHash: hashValueSync(result.input),
    output: jsonOf(result.output),
    events: result.events,
    commands,
    calls,
    artifacts: [...emitted, ...callHashes, ...kernel],
  };
}

/** Makes the baseline of a JSON value of a test file. Throws a TypeError for a value JSON cannot hold. */
export function valueBaselineOf(
  value: unknown,
  { test, name, labels = [], meta = {} }: CaseDetails & { readonly test: string; readonly name: string },
): ValueBaseline {
  const { hash, content } = hashWithContentSync(value);
  return { version: BASELINE_VERSION, kind: "value", test, name, labels, meta, value: JSON.parse(content), hash };
}
