import { REPORT_FORMATS } from "../../explain/format-names.ts";
import type { OptionSpec } from "../command.ts";
import { CASE_OPTIONS, JSON_OPTION, VERBOSE_OPTION } from "../common-options.ts";

/** Default number of cases checked at a time. */
export const CONCURRENCY = 8;
/** Default timeout of one run of a case. Recorded responses need less time. */
export const TIMEOUT: { readonly replay: string; readonly live: string } = { replay: "60s", live: "5m" };

/** Options that `capture`, `test`, `diff` and `replay` share, in addition to those of stored runs. */
export const SHARED_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--sample <count>",
    description: "number of inputs, baselines or stored runs to select; the same ones in each run",
  },
  { flags: "--seed <text>", description: "seed of the sample (default: 1)" },
  { flags: "--dry-run", description: "list the cases, without running a step" },
  {
    flags: "--concurrency <count>",
    description: `number of cases that run at the same time (default: ${CONCURRENCY})`,
  },
  {
    flags: "--timeout <time>",
    description:
      "maximum duration of one run of a case, such as 500ms, 90s or 5m; 0 disables the limit " +
      `(default: ${TIMEOUT.replay}; with live adapters: ${TIMEOUT.live})`,
  },
  VERBOSE_OPTION,
  JSON_OPTION,
];

/** Options of every command that checks stored baselines. */
export const CHECK_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--step <name>",
    description: "only configured steps with this name (* matches any characters); repeatable",
    repeatable: true,
  },
  {
    flags: "--baseline <path>",
    description: "only this baseline, or those below this directory; repeatable",
    repeatable: true,
  },
  ...CASE_OPTIONS,
  ...SHARED_OPTIONS,
  { flags: "--format <format>", description: "format of the report (default: text)", choices: REPORT_FORMATS },
  { flags: "--output <file>", description: "file of the report (default: print the report)" },
];

/** Options of the commands that run steps again. */
export const RECOMPUTE_OPTIONS: readonly OptionSpec[] = [
  { flags: "--live", description: "call the live adapters" },
  { flags: "--replay", description: "replay the recorded responses, without calling a service (default)" },
  { flags: "--trials <count>", description: "number of runs of each case, with live adapters" },
  { flags: "--min <count>", description: "number of trials that must be clean (default: all)" },
];
