import type { SourceFile } from "./list-twins.ts";

/**
 * Writes to an output that are allowed, by file. Each escapes its text or writes a constant, draws a screen of printable
 * texts, or passes on the output of a program.
 */
const WRITES: ReadonlyMap<string, readonly string[]> = new Map([
  ["src/kernel/printed.ts", ["process.stderr.write(printed(lines));"]],
  [
    "src/cli/terminal/print.ts",
    [
      "stdout.write(`${lines.map(escapeText).join(",
      "stdout.write(`${escapeJson(",
      "stdout.write(document);",
      "stderr.write(text);",
    ],
  ],
  // Its own messages about versions, before a command is known.
  ["src/cli.ts", ["stderr.write(`${problem}\\n`);"]],
  [
    "src/cli/review/terminal-review.ts",
    ["stdout.write(ENTER);", "stdout.write(LEAVE);", "stdout.write(`\\u001b[H${screen}"],
  ],
  ["src/extras/verified-commit/cli/run.ts", ["stderr.write(text);"]],
]);
/** A write of lines that are escaped in the same statement. */
const PRINTED = /\.write\(\s*printed\(/;

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
    .filter(({ path }) => !path.startsWith("src/reporter/html/client/"))
    .flatMap(({ path, text }) =>
      text.split("\n").flatMap((line, index, lines) => {
        if (COMMENT.test(line) || !WRITE.test(line) || PRINTED.test(`${line}${lines[index + 1] ?? ""}`)) return [];
        if (WRITES.get(path)?.some((allowed) => line.includes(allowed)) === true) return [];
        return [
          `${path}:${String(index + 1)} writes to an output: use src/kernel/printed.ts or src/cli/terminal/print.ts.`,
        ];
      }),
    );
}
