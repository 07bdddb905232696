import { hashValueSync } from "../json/hash.ts";
import type { Result } from "../result.ts";
import { VERITEST } from "../telemetry/attributes.ts";
import { capturedText } from "../telemetry/content.ts";
import { type LiveSpan, inSpan, isTracing } from "../telemetry/spans.ts";
import type { StepError } from "./fail.ts";

/** A run of a step, as its span describes it. */
export interface TracedRun {
  readonly step: { readonly name: string };
  readonly input: unknown;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly runId: string;
}

/**
 * Runs a step in its own span, `veritest.step <name>`: the step, its workflow and run, the hashes of its input and
 * output, and its outcome; content only if that is captured. `outputOf` returns the output.
 */
export function inStepSpan<T>(
  run: TracedRun,
  work: () => Promise<Result<T, StepError>>,
  outputOf: (value: T) => unknown,
): Promise<Result<T, StepError>> {
  return isTracing() ? tracedRun(run, work, outputOf) : work();
}

async function tracedRun<T>(
  { step, input, workflowId, workflowVersion, runId }: TracedRun,
  work: () => Promise<Result<T, StepError>>,
  outputOf: (value: T) => unknown,
): Promise<Result<T, StepError>> {
  const facts = {
    [VERITEST.stepName]: step.name,
    [VERITEST.workflowName]: workflowId,
    [VERITEST.workflowVersion]: workflowVersion,
    [VERITEST.runId]: runId,
  };
  return inSpan({ name: `veritest.step ${step.name}`, facts }, async (span) => {
    // Before the step runs: it may change what it was given.
    const captured = span === undefined ? undefined : { hash: hashOf(input), content: capturedText(input) };
    const result = await work();
    if (span === undefined) return result;
    span.set({ [VERITEST.inputHash]: captured?.hash, [VERITEST.input]: captured?.content });
    if (result.ok) tellOutput(span, outputOf(result.value));
    else tellError(span, result.error);
    return result;
  });
}

function tellOutput(span: LiveSpan, output: unknown): void {
  span.set({
    [VERITEST.status]: "ok",
    [VERITEST.outputHash]: hashOf(output),
    [VERITEST.output]: capturedText(output),
  });
}

/** An error is reported by its code; its message may quote the step's input. */
function tellError(span: LiveSpan, { code, message }: StepError): void {
  span.set({ [VERITEST.status]: "failed" });
  span.fail(code, capturedText(message));
}

/** Undefined for a value that isn't JSON. */
function hashOf(value: unknown): string | undefined {
  try {
    return hashValueSync(value);
  } catch {
    return undefined;
  }
}
