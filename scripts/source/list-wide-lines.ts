import type { SourceFile } from "./list-twins.ts";

const COLUMNS = 120;

/** Lines wider than the formatter's limit, which it cannot break. */
export function listWideLines(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => {
      if (line.length <= COLUMNS) return [];
      return [`${path}:${String(index + 1)} has ${String(line.length)} columns of ${String(COLUMNS)}: split the text.`];
    }),
  );
}
