import { quote } from "../kernel/text.ts";
import type { BaseAdapters } from "../kernel/step/context.ts";

/**
 * Where a step's adapters get their answers: from the baseline alone; from today's adapters alone; or from the baseline
 * unless the step asks for something that is not in it.
 */
export type AdapterMode = "recorded" | "live" | "auto";

/** Where the answers of one adapter come from; `scripted`: from the baseline in their order, whatever is asked. */
export type AnswerMode = "recorded" | "live" | "scripted";

/**
 * The modes of a test's adapters by the first name of their paths, `{ llm: "recorded", tools: "live" }`; `fetch`,
 * `model` and `tools` name what is asked past the adapters. What is not named is recorded.
 */
export type AdapterModes = Readonly<Record<string, AnswerMode>>;

/**
 * What a test may say of its answers: one mode for all adapters, one for each, or `scripted` for all: recorded answers
 * in their order, whatever is asked. A scripted run writes nothing.
 */
export type TestMode = AdapterMode | "scripted" | AdapterModes;

const MODES: readonly AdapterMode[] = ["recorded", "live", "auto"];

/** Where the answers of a check come from, once it is decided: a mode, and the adapters it calls. */
export type Answers =
  | { readonly kind: "recorded" /** True where there are adapters that could be called. */; readonly given: boolean }
  | { readonly kind: "live" | "auto"; readonly adapters: BaseAdapters }
  | EachAnswers;

/** Answers that come from several places; a path is a call's, or the first name of one. */
export interface EachAnswers {
  readonly kind: "each";
  readonly adapters: BaseAdapters;
  readonly modeOf: (path: string) => AnswerMode;
  /** Whether any of them are called. */
  readonly isLive: boolean;
}

/** The answers of a mode: without adapters nothing is live. */
export function answersOf(mode: AdapterMode, adapters: BaseAdapters | undefined, each?: AdapterModes): Answers {
  if (each !== undefined) {
    const modes = new Map(Object.entries(each));
    const modeOf = (path: string): AnswerMode => modes.get(firstName(path)) ?? modes.get(ALL) ?? "recorded";
    return { kind: "each", adapters: adapters ?? {}, modeOf, isLive: [...modes.values()].includes("live") };
  }
  return mode === "recorded" || adapters === undefined
    ? { kind: "recorded", given: adapters !== undefined }
    : { kind: mode, adapters };
}

/** Stands for every adapter; no name of one. */
const ALL = "*";

function firstName(path: string): string {
  const end = path.search(/[.(]/);
  return end === -1 ? path : path.slice(0, end);
}

/** What speaks for a mode. */
export interface ModeWishes {
  /** True where the test gives adapters. */
  readonly given: boolean;
  /** What the matcher was told. */
  readonly option?: string | AdapterModes | undefined;
  /** What the project's configuration says. */
  readonly project?: string | undefined;
  /** The value of `VERITEST_ADAPTERS`. */
  readonly variable?: string | undefined;
  /** True where the run may write baselines: not in CI. */
  readonly writes: boolean;
}

/** A mode, and whether somebody asked for it. */
export interface ChosenMode {
  readonly mode: AdapterMode;
  readonly chosen: boolean;
  /** Where not all adapters have the same mode, or a script. */
  readonly each?: AdapterModes;
}

/**
 * The mode of a check: what `VERITEST_ADAPTERS` says, else the test, else the project, else live where baselines may be
 * written and recorded in CI. Without adapters there is nothing live. Throws a TypeError for a mode that is none, and
 * where a test asks for live answers and gives no adapters.
 */
export function adapterMode({ given, option, project, variable, writes }: ModeWishes): ChosenMode {
  const run = readMode(variable, "VERITEST_ADAPTERS is");
  const each: AdapterModes | undefined = option === "scripted" ? { [ALL]: "scripted" } : readModes(option);
  const one = each === undefined ? readOption(option) : undefined;
  const ofProject = readMode(project, "the configuration's adapter mode is");
  if (!given && one !== undefined && one !== "recorded") throw needsAdapters(quote(one));
  if (run === undefined && each !== undefined) {
    const isLive = Object.values(each).includes("live");
    if (!given && isLive) throw needsAdapters("{ … }");
    return { mode: isLive ? "live" : "recorded", chosen: true, each };
  }
  const mode = run ?? one ?? ofProject;
  if (!given) return { mode: "recorded", chosen: false };
  return { mode: mode ?? (writes ? "live" : "recorded"), chosen: mode !== undefined };
}

function needsAdapters(mode: string): TypeError {
  return new TypeError(`mode: ${mode} needs today's adapters: give them beside it ({ adapters, mode: ${mode} }).`);
}

function readOption(option: ModeWishes["option"]): AdapterMode | undefined {
  if (typeof option !== "string") return undefined;
  const mode = MODES.find((known) => known === option);
  if (mode !== undefined) return mode;
  throw new TypeError(
    `the matcher's option mode is ${quote(option)}: it must be ${MODES.join(", ")} or scripted, or one for each ` +
      "adapter.",
  );
}

const ANSWER_MODES: readonly AnswerMode[] = ["recorded", "live", "scripted"];

function readModes(option: ModeWishes["option"]): AdapterModes | undefined {
  if (typeof option !== "object") return undefined;
  for (const [name, mode] of Object.entries(option)) {
    if (!ANSWER_MODES.includes(mode))
      throw new TypeError(
        `the matcher's option mode.${name} is ${quote(mode)}: it must be ${ANSWER_MODES.join(", ")}.`,
      );
    if (name !== firstName(name) || name === ALL)
      throw new TypeError(`the matcher's option mode names ${quote(name)}: give the first part of an adapter's path.`);
  }
  return option;
}

function readMode(text: string | undefined, what: string): AdapterMode | undefined {
  if (text === undefined) return undefined;
  const mode = MODES.find((known) => known === text);
  if (mode === undefined)
    throw new TypeError(`${what} ${quote(text)}: it must be ${MODES.slice(0, -1).join(", ")} or ${MODES.at(-1)}.`);
  return mode;
}
