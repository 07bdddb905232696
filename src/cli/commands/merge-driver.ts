import { projectRoot } from "../../files/places.ts";
import type { CommandInput } from "../command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { installDriver } from "../merge-driver/install-driver.ts";
import { runDriver } from "../merge-driver/run-driver.ts";
import { oneLine, refuse, say, warn } from "../say.ts";

/** `veritest merge-driver`: has git merge baselines field by field, and does so where git asks for it. */
export const mergeDriverCommand: CliCommand = {
  arguments: [
    { name: "<action>", description: "what to do", choices: ["install", "run"] },
    { name: "[sides...]", description: "of run, what git gives: the files of base, ours and theirs, %L and %P" },
  ],
  examples: ["veritest merge-driver install   # in each clone: a line in .gitattributes, two settings of git"],
  run,
};

function run({ operands }: CommandInput, io: CliIo): ExitCode {
  const [action, ...sides] = operands;
  return action === "install" ? install(io) : merge(sides, io);
}

function install(io: CliIo): ExitCode {
  const done = installDriver(projectRoot(io.cwd));
  if (!done.ok) return refuse(io, done.error);
  say(io, [
    ...done.value.map(({ what, before }) => oneLine(`${before ? "kept   " : "written"}  ${what}`)),
    "Commit .gitattributes. The settings are this clone's alone: others run the same, or a script called prepare does.",
  ]);
  return EXIT.clean;
}

function merge(sides: readonly string[], io: CliIo): ExitCode {
  const [base, ours, theirs, marker, file] = sides;
  if (base === undefined || ours === undefined || theirs === undefined)
    return refuse(io, "merge-driver run needs the files of base, ours and theirs: git starts it.");
  const end = runDriver({ cwd: io.cwd, base, ours, theirs, marker: Number(marker ?? 7) || 7, file: file ?? ours });
  for (const line of end.told) warn(io, line);
  return end.clean ? EXIT.clean : EXIT.regressions;
}
