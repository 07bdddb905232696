import { nearestWords, wordDistance } from "./did-you-mean.ts";
import {
  FLAGS,
  type UserVariables,
  type WorkerVariables,
  isOn,
  readChoice,
  readFlag,
  readVariable,
} from "./environment.ts";
import { quote } from "./text.ts";

const USER: Readonly<Record<keyof UserVariables, true>> = {
  VERITEST_MODE: true,
  VERITEST_REPORT: true,
  VERITEST_REPORT_DIR: true,
  VERITEST_ACTOR: true,
  VERITEST_REASON: true,
  VERITEST_STATE_DIR: true,
  VERITEST_NOTES_DIR: true,
  VERITEST_SEED: true,
  VERITEST_STORE: true,
  VERITEST_VERBOSE: true,
  VERITEST_CAPTURE_CONTENT: true,
};

const WORKER: Readonly<Record<keyof WorkerVariables, true>> = {
  VERITEST_RUN_LOG: true,
  VERITEST_META: true,
  VERITEST_WORKER_RUN: true,
  VERITEST_RUNNER_OPTIONS: true,
  VERITEST_JEST_CI: true,
  VERITEST_PROJECT_MODE: true,
  VERITEST_CONFIGS: true,
  VERITEST_REDACTION: true,
  VERITEST_PROPERTIES_RUNS: true,
  VERITEST_PROPERTIES_FAILED: true,
  VERITEST_RUN: true,
};

/** Number of edits up to which a name counts as a misspelt one. */
const MAX_EDITS = 2;

/**
 * Returns one line on a misspelt variable, or one whose value isn't in its list, for the process that a person starts
 * to report.
 */
export function variableProblem(environment: NodeJS.ProcessEnv): string | undefined {
  for (const name of Object.keys(environment)) {
    const known = misspeltName(name);
    if (known !== undefined) return `${quote(name)} isn't a variable of veritest. Did you mean ${known}?`;
  }
  for (const name of FLAGS) {
    const text = readVariable(environment, name);
    if (text !== undefined && isOn(environment, name) && !readFlag(environment, name))
      return `${name} must be 1 or 0, got ${quote(text)}.`;
  }
  const mode = readChoice(environment, "VERITEST_MODE", ["replay", "live", "auto"]);
  return mode.ok ? undefined : mode.error;
}

/** Returns one line on unknown variables with veritest's prefix; undefined if there are none. */
export function unknownVariables(environment: NodeJS.ProcessEnv): string | undefined {
  const names = Object.keys(environment).filter((name) => /^VERITEST_/i.test(name) && !isKnown(name));
  if (names.length === 0) return undefined;
  return `These aren't variables of veritest, so they have no effect: ${names.map(quote).join(", ")}.`;
}

function isKnown(name: string): boolean {
  return name in USER || name in WORKER;
}

/** Returns the variable that a name is nearly; undefined for a declared name, and for one of another program. */
function misspeltName(name: string): string | undefined {
  // Other programs have names such as VITEST_MODE.
  if (isKnown(name) || !/^ver/i.test(name)) return undefined;
  const [nearest] = nearestWords(name, Object.keys(USER), 1);
  return nearest !== undefined && wordDistance(name, nearest) <= MAX_EDITS ? nearest : undefined;
}
