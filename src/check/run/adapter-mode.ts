// A test passes a `TestMode`, `adapterMode` chooses a mode, and `responsePlan` makes a plan of it. A mode says what a
// check does (replay), and plans, sources and reports say which responses it has (recorded).

import { quote } from "../../kernel/text.ts";
import type { BaseAdapters } from "../../kernel/step/context.ts";

/**
 * Source of a step's responses. `replay`: only the baseline. `live`: only live adapters. `auto`: the baseline, or live
 * adapters for the entire case if one of its requests isn't recorded.
 */
export type AdapterMode = "replay" | "live" | "auto";

/** Source of one adapter's responses. `scripted` replays the baseline's responses in order and ignores the requests. */
export type ResponseMode = "replay" | "live" | "scripted";

/**
 * Modes of a test's adapters by the first name of their paths, `{ llm: "replay", tools: "live" }`. `fetch`, `model`
 * and `tools` name requests made outside the adapters. An adapter without an entry is replayed.
 */
export type AdapterModes = Readonly<Record<string, ResponseMode>>;

/**
 * Mode option of a test: one mode for all adapters, a mode for each adapter, or `scripted`. `scripted` returns the
 * recorded responses in order and doesn't compare requests. A scripted run doesn't write a baseline.
 */
export type TestMode = AdapterMode | "scripted" | AdapterModes;

const MODES: readonly AdapterMode[] = ["replay", "live", "auto"];

/** Responses that a check requests: a mode, and the adapters it calls. The mode `replay` has the kind `recorded`. */
export type ResponsePlan = RunPlan | { readonly kind: "auto"; readonly adapters: BaseAdapters };

/** Responses of one run, which reads them from an `AdapterSource`. A check with the plan `auto` has one or two runs. */
export type RunPlan = RecordedPlan | { readonly kind: "live"; readonly adapters: BaseAdapters } | PerAdapterPlan;

/** Recorded responses only. */
interface RecordedPlan {
  readonly kind: "recorded";
  /** True if the test passes adapters, although the run doesn't call them. */
  readonly hasAdapters: boolean;
}

/** A mode for each adapter. A path is a call's path or its first name. */
export interface PerAdapterPlan {
  readonly kind: "perAdapter";
  readonly adapters: BaseAdapters;
  readonly modeOf: (path: string) => ResponseMode;
  /** True if adapters of mode `live` are called; false if there are none, or if they are replayed too. */
  readonly callsLiveAdapters: boolean;
}

/** Returns the response plan of a mode. Without adapters no call is live. */
export function responsePlan(mode: "replay" | "live", adapters: BaseAdapters | undefined): RunPlan;
export function responsePlan(
  mode: AdapterMode,
  adapters: BaseAdapters | undefined,
  perAdapter?: AdapterModes,
): ResponsePlan;
export function responsePlan(
  mode: AdapterMode,
  adapters: BaseAdapters | undefined,
  perAdapter?: AdapterModes,
): ResponsePlan {
  if (perAdapter !== undefined) {
    const modes = new Map(Object.entries(perAdapter));
    const modeOf = (path: string): ResponseMode => modes.get(firstName(path)) ?? modes.get(ALL) ?? "replay";
    return {
      kind: "perAdapter",
      adapters: adapters ?? {},
      modeOf,
      callsLiveAdapters: [...modes.values()].includes("live"),
    };
  }
  return mode === "replay" || adapters === undefined
    ? { kind: "recorded", hasAdapters: adapters !== undefined }
    : { kind: mode, adapters };
}

/** Key for all adapters; not an adapter's name. */
const ALL = "*";

function firstName(path: string): string {
  const end = path.search(/[.(]/);
  return end === -1 ? path : path.slice(0, end);
}

/** Inputs that decide a mode. */
export interface ModeSettings {
  /** True if the test passes adapters. */
  readonly hasAdapters: boolean;
  /** Option of the matcher. */
  readonly option?: string | AdapterModes | undefined;
  /** Value from the project's configuration. */
  readonly project?: string | undefined;
  /** The value of `VERITEST_MODE`. */
  readonly variable?: string | undefined;
  /** True if the run records unrecorded requests: under -u, but not in CI. */
  readonly isRecording: boolean;
}

/** A mode, and whether the user requested it. */
export interface ChosenMode {
  readonly mode: AdapterMode;
  readonly isExplicit: boolean;
  /** Set if the adapters' modes differ, or for a script. */
  readonly perAdapter?: AdapterModes;
}

/**
 * Returns the mode of a check: from `VERITEST_MODE`, or else the test, or else the project. The default is a replay; a
 * run that records unrecorded requests calls live adapters for the cases that have some. Without adapters every case is
 * replayed. Throws a TypeError for an unknown mode, and if a test requests live responses without adapters.
 */
export function adapterMode({ hasAdapters, option, project, variable, isRecording }: ModeSettings): ChosenMode {
  const run = readMode(variable, "VERITEST_MODE");
  const perAdapter: AdapterModes | undefined = option === "scripted" ? { [ALL]: "scripted" } : readModes(option);
  const common = perAdapter === undefined ? readOption(option) : undefined;
  const ofProject = readMode(project, "mode in the configuration");
  if (!hasAdapters && common !== undefined && common !== "replay") throw needsAdapters(quote(common));
  if (run === undefined && perAdapter !== undefined) {
    const isLive = Object.values(perAdapter).includes("live");
    if (!hasAdapters && isLive) throw needsAdapters("{ … }");
    return { mode: isLive ? "live" : "replay", isExplicit: true, perAdapter };
  }
  const mode = run ?? common ?? ofProject;
  if (!hasAdapters) return { mode: "replay", isExplicit: false };
  return { mode: mode ?? (isRecording ? "auto" : "replay"), isExplicit: mode !== undefined };
}

function needsAdapters(mode: string): TypeError {
  return new TypeError(`mode: ${mode} needs live adapters. Pass { adapters, mode: ${mode} }.`);
}

function readOption(option: ModeSettings["option"]): AdapterMode | undefined {
  if (typeof option !== "string") return undefined;
  const mode = MODES.find((known) => known === option);
  if (mode !== undefined) return mode;
  throw new TypeError(
    `mode must be ${MODES.join(", ")} or scripted, or an object with a mode for each adapter, such as ` +
      `{ llm: "live" }, got ${quote(option)}.`,
  );
}

const RESPONSE_MODES: readonly ResponseMode[] = ["replay", "live", "scripted"];

function readModes(option: ModeSettings["option"]): AdapterModes | undefined {
  if (typeof option !== "object") return undefined;
  for (const [name, mode] of Object.entries(option)) {
    if (!RESPONSE_MODES.includes(mode))
      throw new TypeError(`mode.${name} must be replay, live or scripted, got ${quote(mode)}.`);
    if (name !== firstName(name) || name === ALL)
      throw new TypeError(
        `mode: ${quote(name)} isn't the first part of an adapter's path. ` +
          'For "llm.complete", pass mode: { llm: "live" }.',
      );
  }
  return option;
}

function readMode(text: string | undefined, what: string): AdapterMode | undefined {
  if (text === undefined) return undefined;
  const mode = MODES.find((known) => known === text);
  if (mode === undefined)
    throw new TypeError(`${what} must be ${MODES.slice(0, -1).join(", ")} or ${MODES.at(-1)}, got ${quote(text)}.`);
  return mode;
}
