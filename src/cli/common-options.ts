import type { OptionSpec } from "./command.ts";

/** Options that mean the same in every command that has them. */
export const JSON_OPTION: OptionSpec = { flags: "--json", description: "print JSON (docs/json.md)" };
export const LIMIT_OPTION: OptionSpec = {
  flags: "-n, --limit <count>",
  description: "maximum number of entries to list, the newest first",
};
export const REASON_OPTION: OptionSpec = {
  flags: "--reason <text>",
  description: "reason, stored in the receipt (default: VERITEST_REASON)",
};
export const UPLOAD_OPTION: OptionSpec = {
  flags: "--from <path>",
  description: "upload of a CI run: a state directory, or its zip file",
};
export const ALL_OPTION: OptionSpec = { flags: "--all", description: "all pending changes" };
export const GROUP_OPTION: OptionSpec = {
  flags: "--group <id>",
  description: "all changes of a group (g-…), as shown in a report or by veritest pending",
};
export const YES_OPTION: OptionSpec = { flags: "--yes", description: "apply without confirmation" };
export const VERBOSE_OPTION: OptionSpec = {
  flags: "--verbose",
  description: "show every case that differs, instead of one for each group (VERITEST_VERBOSE)",
};
/** Options that choose cases by what their baselines store. */
export const CASE_OPTIONS: readonly OptionSpec[] = [
  { flags: "--name <name>", description: "only cases with this name; repeatable", repeatable: true },
  {
    flags: "--label <label>",
    description: "only cases with this label; if repeated, all must match",
    repeatable: true,
  },
  {
    flags: "--meta <key=value>",
    description: "only cases with this metadata (key=value); if repeated, all must match",
    repeatable: true,
  },
];
