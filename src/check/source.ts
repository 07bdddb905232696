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

/** Source of a check's adapter responses, and its recorded requests. */
export interface AdapterSource {
  readonly kind: "live" | "recorded";
  readonly adapters: BaseAdapters;
  /** The calls so far in their stored form. */
  calls(): readonly AdapterCall[];
  /** The same calls with the placeholders of today's requests: the replayed ones may have another secret. */
  asked(): readonly AdapterCall[];
  /** Requests without a recorded response; always empty if live. */
  misses(): readonly RecordingMiss[];
  /** Adapters of recorded calls that the step didn't make, one name for each; always empty if live. */
  unused(): readonly string[];
  /** Calls that could not be recorded; always empty when recorded. */
  problems(): readonly string[];
  /** Requests outside the adapters and recorders. */
  reached(): readonly NetworkReach[];
  /** Number of a script's responses to requests that differ from the recorded ones; absent without a script. */
  scripted?(): number;
  /** Skipped writes; absent if there are none. */
  readonly held?: Pick<HeldWrites, "proposed" | "unanswered">;
  /** Runs the step's code and records or replays its requests outside the adapters like their calls. */
  readonly within: AdapterServer["within"];
}

/** Handling of a live run's writes. */
export interface WritesOf {
  /** True if they run. */
  readonly run: boolean;
  /** Declared roles of calls. */
  readonly roleOf: ConstructorParameters<typeof HeldWrites>[1];
}

/** Returns today's adapters with a recorder, or the recorded calls of a case. */
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

/** Returns adapters of which some are live and others replayed. */
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

/** Returns today's adapters except for the replayed ones. */
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

/** An unread property isn't a missing call. */
function namesOf(unused: readonly AdapterCall[]): readonly string[] {
  return unused.filter(({ returns }) => returns !== "property").map(({ adapter }) => adapter);
}

/**
 * Returns the recorded calls of a case as the source of its adapters, without external calls. Adapters are created on
 * demand.
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

  /** Empty: a replay records no calls. */
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
// than the adapters it saves. Assigning `ctx.adapters` replaces it, as in a plain object.
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

/** Creates contexts that get a source's adapters when the step's code first reads them. */
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

/** A source with calls in their stored form. */
export interface SteadySource extends AdapterSource {
  /** Returns the original calls; absent if `calls` returns these. */
  readonly asCame?: () => readonly AdapterCall[];
}

/**
 * Returns the source of a finished run, with placeholders for varying values in live responses that the run doesn't
 * use. So two runs that differ only in ids send the same requests and write the same file. Recorded responses stay
 * unchanged, and so do those of an unfinished run: the values it read are unknown.
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
 * Returns the source of a finished live run with the secrets that its end reveals hidden in all its calls: a field that
 * names a password may come after the call that contains it.
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

/** Returns everything that a run derived from its responses, as text. Content that a file can't store has no update. */
function madeOf({ outcome, events, commands = [] }: CaseRun): string {
  try {
    return stableStringify([outcome.output ?? null, events, commands]);
  } catch {
    return "";
  }
}
