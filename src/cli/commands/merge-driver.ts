import { resolve } from "node:path";
import { messageOf } from "../../base/thrown.ts";
import { placeWhole } from "../../files/durable.ts";
import { gitSync } from "../../files/git.ts";
import { projectRoot } from "../../files/places.ts";
import { readText } from "../../files/read.ts";
import { mergeBaselines } from "../../settle/merge/merge-baselines.ts";
import type { CommandInput } from "../command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { installDriver } from "../merge-driver/install-driver.ts";
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

/** Merges one file for git, and leaves the result where git takes it. What is no whole baseline is merged by lines. */
function merge(sides: readonly string[], io: CliIo): ExitCode {
  const [base, ours, theirs, length, file = ours] = sides;
  if (base === undefined || ours === undefined || theirs === undefined || file === undefined)
    return refuse(io, "merge-driver run needs the files of base, ours and theirs: git starts it.");
  const { cwd } = io;
  const text = (name: string): string => readText(resolve(cwd, name)) ?? "";
  const marker = Number(length ?? 7) || 7;
  const merged = mergeBaselines({ base: text(base), ours: text(ours), theirs: text(theirs) }, { file, marker });
  if (!merged.ok) {
    warn(io, `${merged.error} Its lines are merged instead, as git does.`);
    const labels = ["ours", "base", "theirs"].flatMap((label) => ["-L", label]);
    const lines = gitSync(["merge-file", `--marker-size=${marker}`, ...labels, ours, base, theirs], { cwd });
    return lines.ok ? EXIT.clean : EXIT.regressions;
  }
  try {
    placeWhole(resolve(cwd, ours), merged.value.text);
  } catch (thrown) {
    return refuse(io, `Cannot write the merge of ${file}: ${messageOf(thrown)}.`, EXIT.regressions);
  }
  const { conflicts } = merged.value;
  if (conflicts.length === 0) return EXIT.clean;
  return refuse(
    io,
    `${file}: both sides changed ${conflicts.join(", ")}. Take one side of all its markers, hashes too, or delete ` +
      "the file and capture it again.",
    EXIT.regressions,
  );
}
