import type { SourceFile } from "./list-twins.ts";

/** Files that write to an output: each escapes what it is given, draws a screen, or passes on a program's output. */
const WRITERS: ReadonlyMap<string, string> = new Map([
  ["src/kernel/printed.ts", "the writer of lines"],
  ["src/cli/terminal/print.ts", "the writer of commands"],
  ["src/cli.ts", "before anything is loaded"],
  ["src/cli/review/terminal-review.ts", "draws a screen of printable texts"],
  ["src/reporter/formats/progress-line.ts", "draws counts"],
  ["src/extras/runs/runner/progress.ts", "draws counts"],
  ["src/extras/verified-commit/cli/run.ts", "passes on the output of its command"],
]);

const WRITE = new RegExp(
  [
    String.raw`\b(?:stdout|stderr)(?:\.(?:write|end)\(|\[)|\bconsole\.\w+|[^}] = process\.(?:stdout|stderr);`,
    String.raw`\blogger\.\w+\((?!printed\(|oneLine\()|\bemitWarning\((?!oneLine\()|\bpipe\(process\.std`,
    String.raw`\b(?:writeSync|writeFileSync|appendFileSync)\((?:[12],|["'\`]\/dev\/std)`,
  ].join("|"),
);
const COMMENT = /^\s*(?:\/?\*|\/\/)/;

/** Lists lines that write to an output past the writers, which make names and texts safe to print. */
export function listDirectWrites(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => !WRITERS.has(path) && !path.startsWith("src/reporter/html/client/"))
    .flatMap(({ path, text }) =>
      text.split("\n").flatMap((line, index) => {
        if (COMMENT.test(line) || !WRITE.test(line)) return [];
        return [
          `${path}:${String(index + 1)} writes to an output: use src/kernel/printed.ts or src/cli/terminal/print.ts.`,
        ];
      }),
    );
}
