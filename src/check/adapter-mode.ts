import { quote } from "../base/text.ts";
import type { BaseAdapters } from "../step/context.ts";

/**
 * Where a step's adapters get their answers: from the baseline alone; from today's adapters alone; or from the baseline
 * unless the step asks for something that is not in it.
 */
export type AdapterMode = "recorded" | "live" | "auto";

/** Names the mode of a whole run, over what a test or the project says. */
export const ADAPTERS_VARIABLE = "VERITEST_ADAPTERS";

const MODES: readonly AdapterMode[] = ["recorded", "live", "auto"];

/** Where the answers of a check come from, once it is decided: a mode, and the adapters it calls. */
export type Answers =
  | { readonly kind: "recorded" /** True where there are adapters that could be called. */; readonly given: boolean }
  | { readonly kind: "live" | "auto"; readonly adapters: BaseAdapters };

/** The answers of a mode: without adapters nothing is live. */
export function answersOf(mode: AdapterMode, adapters: BaseAdapters | undefined): Answers {
  return mode === "recorded" || adapters === undefined
    ? { kind: "recorded", given: adapters !== undefined }
    : { kind: mode, adapters };
}

/** What speaks for a mode. */
export interface ModeWishes {
  /** True where the test gives adapters. */
  readonly given: boolean;
  /** What the matcher was told. */
  readonly option?: string | undefined;
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
}

/**
 * The mode of a check: what `VERITEST_ADAPTERS` says, else the test, else the project, else live where baselines may be
 * written and recorded in CI. Without adapters there is nothing live. Throws a TypeError for a mode that is none, and
 * where a test asks for live answers and gives no adapters.
 */
export function adapterMode({ given, option, project, variable, writes }: ModeWishes): ChosenMode {
  const run = variable === "" ? undefined : variable;
  const wishes = [
    readMode(run, `${ADAPTERS_VARIABLE} is`),
    readMode(option, "the matcher's option mode is"),
    readMode(project, "the configuration's adapter mode is"),
  ];
  if (!given && option !== undefined && option !== "recorded") {
    throw new TypeError(
      `mode: ${quote(option)} needs today's adapters: give them beside it ({ adapters, mode: ${quote(option)} }).`,
    );
  }
  const mode = wishes.find((wish) => wish !== undefined);
  if (!given) return { mode: "recorded", chosen: false };
  return { mode: mode ?? (writes ? "live" : "recorded"), chosen: mode !== undefined };
}

function readMode(text: string | undefined, what: string): AdapterMode | undefined {
  if (text === undefined) return undefined;
  const mode = MODES.find((known) => known === text);
  if (mode === undefined)
    throw new TypeError(`${what} ${quote(text)}: it must be ${MODES.slice(0, -1).join(", ")} or ${MODES.at(-1)}.`);
  return mode;
}
