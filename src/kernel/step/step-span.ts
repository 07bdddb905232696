import { hashValueSync } from "../json/hash.ts";
import type { Result } from "../result.ts";
import { VERITEST } from "../telemetry/attributes.ts";
import { capturedText } from "../telemetry/content.ts";
import { type LiveSpan, inSpan, isTracing } from "../telemetry/spans.ts";
import type { StepError } from "./fail.ts";

/** A run of a step, as its span tells of it. */
export interface TracedRun {
  readonly step: { readonly name: string };
  readonly input: unknown;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly runId: string;
}

/**
 * Runs a step in a span of its own, `veritest.step <name>`: which step of which workflow and run, the hashes of what
 * went in and came out, and how it ended; content only where that is captured. `outputOf` finds the output.
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
    const given = span === undefined ? undefined : { hash: hashOf(input), content: capturedText(input) };
    const result = await work();
    if (span === undefined) return result;
    span.set({ [VERITEST.inputHash]: given?.hash, [VERITEST.input]: given?.content });
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

/** An error is told by its code; its message may quote what the step was given. */
function tellError(span: LiveSpan, { code, message }: StepError): void {
  span.set({ [VERITEST.status]: "failed" });
  span.fail(code, capturedText(message));
}

/** Undefined for what is no JSON. */
function hashOf(value: unknown): string | undefined {
  try {
    return hashValueSync(value);
  } catch {
    return undefined;
  }
}
