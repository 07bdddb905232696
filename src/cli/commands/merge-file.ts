import { resolve } from "node:path";
import { messageOf } from "../../kernel/error-message.ts";
import { replaceWithoutSync } from "../../kernel/files/durable.ts";
import { gitSync } from "../../kernel/files/git.ts";
import { readText } from "../../kernel/files/read.ts";
import { mergeBaselines } from "../../updates/merge/merge-baselines.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { printRefusal, printWarning } from "../terminal/print.ts";

/**
 * Merges one file for git, and writes the result to git's path. A file that isn't a complete baseline is merged by
 * lines.
 */
export function mergeFile(sides: readonly string[], io: CliIo): ExitCode {
  const [base, ours, theirs, length, file = ours] = sides;
  if (base === undefined || ours === undefined || theirs === undefined || file === undefined)
    return printRefusal(
      io,
      "The merge driver needs the files of base, ours and theirs. Git passes them during a merge.",
    );
  const { cwd } = io;
  const text = (name: string): string => readText(resolve(cwd, name)) ?? "";
  const marker = Number(length ?? 7) || 7;
  const merged = mergeBaselines({ base: text(base), ours: text(ours), theirs: text(theirs) }, { file, marker });
  if (!merged.ok) {
    printWarning(io, `${merged.error} Git merged it line by line. Check the result with: npx veritest check`);
    const labels = ["ours", "base", "theirs"].flatMap((label) => ["-L", label]);
    const lines = gitSync(["merge-file", `--marker-size=${marker}`, ...labels, ours, base, theirs], { cwd });
    return lines.ok ? EXIT.clean : EXIT.regressions;
  }
  try {
    replaceWithoutSync(resolve(cwd, ours), merged.value.text);
  } catch (thrown) {
    return printRefusal(io, `Cannot write the merge of ${file}: ${messageOf(thrown)}.`, EXIT.regressions);
  }
  const { conflicts } = merged.value;
  if (conflicts.length === 0) return EXIT.clean;
  return printRefusal(
    io,
    `${file}: both sides changed ${conflicts.join(", ")}. Keep one side: run git checkout --ours (or --theirs) ` +
      "and git add on the file, then its test with -u.",
    EXIT.regressions,
  );
}
