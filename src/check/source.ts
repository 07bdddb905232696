import { stableStringify } from "../kernel/json/canonical-json.ts";
import type { Result } from "../kernel/result.ts";
import { noteSecrets } from "../baseline/baseline-of.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { redactCalls } from "../record/redact-calls.ts";
import { steadyCalls } from "../record/steady-calls.ts";
import { type AdapterServer, CallServer } from "../record/replay/serve-adapters.ts";
import { recordAdapters, recordAmong } from "../record/proxy/record-adapters.ts";
import type { NetworkReach } from "../record/interceptors/open-network.ts";
import { HeldWrites } from "../record/interceptors/held-writes.ts";
import { type EffectGate, withEffects } from "../record/interceptors/recording-scope.ts";
import type { RecordingMiss } from "../record/replay/recording-miss.ts";
import { projectSettings } from "../redact/current-redactor.ts";
import { secretsHere } from "../redact/recording-secrets.ts";
import type { BaseAdapters, ContextFactory, StepContext } from "../kernel/step/context.ts";
import type { StepError } from "../kernel/step/fail.ts";
import type { Answers, EachAnswers } from "./adapter-mode.ts";
import type { CaseRun } from "./run-case.ts";

/** Where a check's adapter answers come from, and what was asked. */
export interface AdapterSource {
  readonly kind: "live" | "recorded";
  readonly adapters: BaseAdapters;
  /** The calls made so far, as a baseline keeps them. */
  calls(): readonly AdapterCall[];
  /** The same with the placeholders of today's requests: those served may have asked with another secret. */
  asked(): readonly AdapterCall[];
  /** Requests that had no recorded answer; always empty when live. */
  misses(): readonly RecordingMiss[];
  /** The adapters of recorded calls that were not made, one name for each; always empty when live. */
  unused(): readonly string[];
  /** Calls that could not be recorded; always empty when recorded. */
  problems(): readonly string[];
  /** What was reached past the adapters and tapes. */
  reached(): readonly NetworkReach[];
  /** How many requests a script answered that were not those of the recording; absent where there is no script. */
  scripted?(): number;
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
  if (answers.kind === "each") return openEach(answers, recorded, writes);
  const recorder = recordAdapters(answers.adapters);
  const live = {
    kind: "live" as const,
    ...recorder,
    asked: () => recorder.calls(),
    misses: () => [],
    unused: () => [],
  };
  if (writes.run) return live;
  const held = new HeldWrites(recorded, writes.roleOf);
  return { ...live, held, within: (run) => withEffects(held, () => recorder.within(run)) };
}

/** Adapters of which some are called and others served. */
function openEach(answers: EachAnswers, recorded: readonly AdapterCall[], writes: WritesOf): AdapterSource {
  const { modeOf, adapters, isLive } = answers;
  const isServed = (path: string): boolean => modeOf(path) !== "live";
  const isScripted = (path: string): boolean => modeOf(path) === "scripted";
  const served = new CallServer(recorded, undefined, isScripted);
  if (!isLive) return new RecordedSource(served, () => served.askedOtherwise());
  const either = eitherAdapters(adapters, { served: () => served.adapters, isServed });
  const recorder = recordAmong(either, (adapter) => !isServed(adapter));
  const held = new HeldWrites(recorded, writes.roleOf);
  const gate: EffectGate = { hold: (call) => (isServed(call.adapter) ? undefined : held.hold(call)) };
  const within: AdapterSource["within"] = async (run) => served.within(async () => recorder.within(run), isServed);
  const source = {
    kind: "live" as const,
    adapters: recorder.adapters,
    calls: () => recorder.calls(),
    asked: () => recorder.calls(),
    misses: () => served.misses(),
    unused: () => namesOf(served.unused().filter(({ adapter }) => isServed(adapter))),
    problems: () => recorder.problems(),
    reached: () => recorder.reached(),
    ...(recorded.some(({ adapter }) => isScripted(adapter)) && {
      scripted: (): number => served.askedOtherwise(),
    }),
  };
  if (writes.run) return { ...source, within };
  return { ...source, held, within: async (run) => withEffects(gate, async () => within(run)) };
}

/** Today's adapters, but for those that are served. */
function eitherAdapters(
  adapters: BaseAdapters,
  { served, isServed }: { readonly served: () => object; readonly isServed: (name: string) => boolean },
): BaseAdapters {
  return new Proxy(adapters, {
    get: (today, key) => {
      const value: unknown =
        typeof key === "string" && isServed(key) ? Reflect.get(served(), key) : Reflect.get(today, key);
      return value;
    },
  });
}

/** A property that was not read is no call that was not made. */
function namesOf(unused: readonly AdapterCall[]): readonly string[] {
  return unused.filter(({ returns }) => returns !== "property").map(({ adapter }) => adapter);
}

/**
 * The recorded calls of a case as the source of its adapters: nothing outside is touched. Adapters are made when they
 * are asked for.
 */
export class RecordedSource implements AdapterSource {
  readonly kind = "recorded";
  readonly #server: CallServer;
  readonly scripted?: () => number;

  constructor(recorded: readonly AdapterCall[] | CallServer, scripted?: () => number) {
    this.#server = recorded instanceof CallServer ? recorded : new CallServer(recorded);
    if (scripted !== undefined) this.scripted = scripted;
  }

  get adapters(): BaseAdapters {
    return this.#server.adapters;
  }

  /** The recorded calls that were made again, in today's order. */
  calls(): readonly AdapterCall[] {
    return this.#server.made();
  }

  asked(): readonly AdapterCall[] {
    return this.#server.asked();
  }

  misses(): readonly RecordingMiss[] {
    return this.#server.misses();
  }

  unused(): readonly string[] {
    return namesOf(this.#server.unused());
  }

  /** None: nothing is recorded here. */
  problems(): readonly string[] {
    return [];
  }

  reached(): readonly NetworkReach[] {
    return this.#server.reached();
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

/** Makes contexts that get a source's adapters when the step's code first asks for them. */
export function askingContext(source: Pick<AdapterSource, "adapters">): ContextFactory {
  return ({ workflowId, workflowVersion, runId, emitEvent = () => undefined, onArtifact }) =>
    withAdapters({
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

/** A source whose calls are told as a baseline keeps them. */
export interface SteadySource extends AdapterSource {
  /** The calls as they came; absent where they are told so. */
  readonly asCame?: () => readonly AdapterCall[];
}

/**
 * The source of a run that ended, with placeholders in place of what varies in live answers and nothing was made of:
 * two runs that differ in ids alone ask for the same, and write the same file. Recorded answers are as they are stored,
 * and so are those of a run that came to no end: what it read nobody knows.
 */
export function steadySource(from: AdapterSource, result: Result<CaseRun, StepError>): SteadySource {
  const source = hiddenSource(from, result);
  if (source.kind === "recorded" || !result.ok || projectSettings().keepIds) return source;
  const came = source.calls();
  const calls = steadyCalls(came, () => madeOf(result.value));
  if (calls === came) return source;
  return { ...source, calls: () => calls, asked: () => calls, asCame: () => came };
}

/**
 * The source of a live run that ended, with what its end says is secret hidden in all its calls: what names a password
 * may come after the call that holds it.
 */
function hiddenSource(source: AdapterSource, result: Result<CaseRun, StepError>): AdapterSource {
  if (source.kind === "recorded" || !result.ok) return source;
  const came = source.calls();
  if (came.length === 0) return source;
  noteSecrets(result.value);
  if (secretsHere()?.size === 0) return source;
  const calls = redactCalls(came);
  return { ...source, calls: () => calls, asked: () => calls };
}

/** All that a run made of its answers, as text; of what no file can hold, nothing is proposed. */
function madeOf({ outcome, events, commands = [] }: CaseRun): string {
  try {
    return stableStringify([outcome.output ?? null, events, commands]);
  } catch {
    return "";
  }
}
