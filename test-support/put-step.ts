import { join } from "node:path";
import { type CaseDetails, createStepBaseline } from "../src/baseline/create-baseline.ts";
import { identityOf } from "../src/baseline/baseline.ts";
import { caseFileName, caseHash, groupDirectory } from "../src/baseline/baseline-paths.ts";
import { serializeBaseline } from "../src/baseline/serialize-baseline.ts";
import type { AdapterCall } from "../src/record/adapter-call.ts";
import type { Command } from "../src/kernel/step/command.ts";
import type { AuditEvent } from "../src/kernel/step/context.ts";
import { putBaseline } from "./put-baseline.ts";

/** A case of a step, as a test would have captured it. */
export interface PutStep extends CaseDetails {
  readonly step: string;
  readonly input: unknown;
  readonly output?: object;
  readonly events?: readonly AuditEvent[];
  readonly commands?: readonly Command[];
  readonly calls?: readonly AdapterCall[];
  /** How its file name begins; the name unless given. */
  readonly label?: string;
  /** The directory of the test file, relative to the project's root. */
  readonly directory?: string;
}

/** A model's answer to one prompt. */
export function callOf(prompt: string, answer: string): AdapterCall {
  return { adapter: "llm.complete", occurrence: 0, returns: "promise", request: [prompt], response: answer };
}

/** Writes the baseline of a step. Returns its target. */
export function putStep(
  root: string,
  { step, input, output = {}, events = [], commands = [], calls = [], label, directory = ".", ...details }: PutStep,
): string {
  const result = {
    input,
    output,
    events,
    commands,
    artifacts: [],
    stepName: step,
    workflowId: "default",
    workflowVersion: "1",
  };
  const baseline = createStepBaseline(result, calls, details);
  const target = join(
    directory,
    "__baselines__",
    groupDirectory(step),
    caseFileName(label ?? details.name ?? "case", caseHash(identityOf(baseline))),
  );
  putBaseline(join(root, target), serializeBaseline(baseline));
  return target;
}
