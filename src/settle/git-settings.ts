import { devNull } from "node:os";

/**
 * Settings of the user that would change what is read here, veto a landing, or hold it up. Hooks among them: whatever
 * must hold before a commit is named as a check, where its result is recorded.
 */
export const GIT_SETTINGS: readonly string[] = [
  "--no-pager",
  "--no-optional-locks",
  ...[
    `core.hooksPath=${process.platform === "win32" ? "/dev/null" : devNull}`,
    "core.fsmonitor=false",
    "core.splitIndex=false",
    "core.safecrlf=false",
    "core.quotePath=false",
    "i18n.commitEncoding=UTF-8",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
  ].flatMap((setting) => ["-c", setting]),
];
