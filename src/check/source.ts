import type { AdapterCall } from "../record/adapter-call.ts";
import { type AdapterServer, CallServer } from "../record/serve/serve-adapters.ts";
import { recordAdapters } from "../record/proxy/record-adapters.ts";
import { HeldWrites } from "../record/tape/held-writes.ts";
import { withEffects } from "../record/tape/recording-scope.ts";
import type { RecordingMiss } from "../record/serve/recording-miss.ts";
import type { BaseAdapters, StepContext } from "../step/context.ts";
import type { AnyStep } from "../step/define-step.ts";
import type { Answers } from "./adapter-mode.ts";

/** Where a check's adapter answers come from, and what was asked. */
export interface AdapterSource {
  readonly kind: "live" | "recorded";
  readonly adapters: BaseAdapters;
  /** The calls made so far, as a baseline keeps them. */
  calls(): readonly AdapterCall[];
  /** Requests that had no recorded answer; always empty when live. */
  misses(): readonly RecordingMiss[];
  /** The adapters of recorded calls that were not made, one name for each; always empty when live. */
  unused(): readonly string[];
  /** Calls that could not be recorded; always empty when recorded. */
  problems(): readonly string[];
  /** The writes that were held; absent where none are. */
  readonly held?: Pick<HeldWrites, "proposed" | "unanswered">;
  /** Runs the step's code so that what it asks past the adapters is recorded, or served, like their calls. */
  readonly within: AdapterServer["within"];
}

/** What becomes of the writes of a live run. */
export interface WritesOf {
  /** True where they run. */
  readonly run: boolean;
  /** What calls are, where that is declared. */
  readonly roleOf: ConstructorParameters<typeof HeldWrites>[1];
}

/** Today's adapters, recorded below them, or the recorded calls of a case. */
export function openSource(answers: Answers, recorded: readonly AdapterCall[], writes: WritesOf): AdapterSource {
  if (answers.kind === "recorded") return new RecordedSource(recorded);
  const recorder = recordAdapters(answers.adapters);
  const live = { kind: "live" as const, ...recorder, misses: () => [], unused: () => [] };
  if (writes.run) return live;
  const held = new HeldWrites(recorded, writes.roleOf);
  return { ...live, held, within: (run) => withEffects(held, () => recorder.within(run)) };
}

/**
 * The recorded calls of a case as the source of its adapters: nothing outside is touched. Adapters are made when they
 * are asked for.
 */
export class RecordedSource implements AdapterSource {
  readonly kind = "recorded";
  readonly #server: CallServer;

  constructor(recorded: readonly AdapterCall[]) {
    this.#server = new CallServer(recorded);
  }

  get adapters(): BaseAdapters {
    return this.#server.adapters;
  }

  /** The recorded calls that were made again, in today's order. */
  calls(): readonly AdapterCall[] {
    return this.#server.made();
  }

  misses(): readonly RecordingMiss[] {
    return this.#server.misses();
  }

  /** A property that was not read is no call that was not made. */
  unused(): readonly string[] {
    return this.#server
      .unused()
      .filter(({ returns }) => returns !== "property")
      .map(({ adapter }) => adapter);
  }

  /** None: nothing is recorded here. */
  problems(): readonly string[] {
    return [];
  }

  within<T>(run: () => T | PromiseLike<T>): Promise<T> {
    return this.#server.within(run);
  }
}

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
