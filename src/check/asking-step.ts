import type { BaseAdapters, StepContext } from "../step/context.ts";
import type { AnyStep } from "../step/define-step.ts";
import type { AdapterSource } from "./adapter-source.ts";

const SOURCE: unique symbol = Symbol("veritest.adapterSource");

interface AskingContext extends Omit<StepContext, "adapters"> {
  readonly [SOURCE]: Pick<AdapterSource, "adapters">;
}

// One pair of functions for all contexts: with a pair for each, each context has a shape of its own, which costs more
// than the adapters it saves. Who writes `ctx.adapters` replaces it, as in a plain object.
const ADAPTERS: PropertyDescriptor & ThisType<AskingContext> = {
  get(): BaseAdapters {
    return this[SOURCE].adapters;
  },
  set(value: unknown) {
    Object.defineProperty(this, "adapters", { value, writable: true, enumerable: true, configurable: true });
  },
  enumerable: true,
  configurable: true,
};

/**
 * A step whose code runs within a source, as `tapedStep` runs it, and gets the source's adapters when it first asks
 * for them.
 */
export function askingStep(step: AnyStep, source: Pick<AdapterSource, "adapters" | "within">): AnyStep {
  return { ...step, run: (input, ctx) => source.within(() => step.run(input, asking(ctx, source))) };
}

function asking(
  { workflowId, workflowVersion, runId, emitEvent, onArtifact }: StepContext,
  source: Pick<AdapterSource, "adapters">,
): StepContext {
  return withAdapters({
    workflowId,
    workflowVersion,
    runId,
    emitEvent,
    ...(onArtifact === undefined ? {} : { onArtifact }),
    [SOURCE]: source,
  });
}

function withAdapters(context: AskingContext): StepContext;
function withAdapters(context: object): object {
  return Object.defineProperty(context, "adapters", ADAPTERS);
}
