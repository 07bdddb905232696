import { REPORT_FORMATS } from "../../explain/report-formats.ts";
import type { OptionSpec } from "../command.ts";

/** Default number of cases checked at a time. */
export const CONCURRENCY = 8;
/** Default timeout of one run of a case. Recorded responses need less time. */
export const TIMEOUT: { readonly replay: string; readonly live: string } = { replay: "60s", live: "5m" };

/** Options of every command that checks stored baselines. */
export const CHECK_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--step <name>",
    description: "only this step of the configuration; * matches any characters; may be repeated",
    repeatable: true,
  },
  {
    flags: "--baseline <path>",
    description: "only this baseline, or those below this directory; may be repeated",
    repeatable: true,
  },
  { flags: "--name <name>", description: "only cases of this name; may be repeated", repeatable: true },
  { flags: "--label <label>", description: "only with this label; with each, if repeated", repeatable: true },
  { flags: "--meta <key=value>", description: "only with this fact; with each, if repeated", repeatable: true },
  { flags: "--concurrency <count>", description: `how many cases at a time (${CONCURRENCY})` },
  {
    flags: "--timeout <time>",
    description:
      "how long one run of a case may take: 500ms, 90s, 5m, or 0 for any time " +
      `(${TIMEOUT.replay}; live ${TIMEOUT.live})`,
  },
  { flags: "--format <format>", description: "what is printed (text)", choices: REPORT_FORMATS },
  { flags: "--output <file>", description: "path of the report, instead of the screen" },
  { flags: "--all", description: "show each case that differs, and not one of each kind (VERITEST_VERBOSE)" },
];

/** Options of the commands that run steps again. */
export const RECOMPUTE_OPTIONS: readonly OptionSpec[] = [
  { flags: "--live", description: "call today's adapters" },
  { flags: "--replay", description: "replay the recorded responses, and call no service (the default)" },
  { flags: "--trials <count>", description: "run each case so often, with live adapters" },
  { flags: "--min <count>", description: "how many of the trials must be clean (all)" },
];

/** Options that report differences without failing. */
export const FAIL_OPTIONS: readonly OptionSpec[] = [
  { flags: "--no-fail-on-diff", description: "report differences of outputs without failing" },
  { flags: "--no-fail-on-commands", description: "report differences of commands without failing" },
];
