/** A kind of addition: its row of the table in CONTRIBUTING. `…` stands for a name. */
export interface AdditionKind {
  readonly kind: string;
  /** File to write; undefined if the line is all there is. */
  readonly file: string | undefined;
  /** Files of the tables that get a line each. */
  readonly tables: readonly string[];
  readonly documentation: string | undefined;
  /** File with a table of tests that gets a row. */
  readonly tests: string | undefined;
}

/** Reads the table below CONTRIBUTING's heading "Adding". Throws if there is none. */
export function readAdditions(contributing: string): readonly AdditionKind[] {
  const [, section = ""] = contributing.split("\n## Adding\n");
  const rows = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| "));
  const kinds = rows.slice(2).map((row) => {
    const [kind = "", file, table, documentation, tests] = row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
    return {
      kind,
      file: pathIn(file),
      tables: table?.split(", ").flatMap((path) => pathIn(path) ?? []) ?? [],
      documentation: pathIn(documentation),
      tests: pathIn(tests),
    };
  });
  if (kinds.length === 0) throw new Error('CONTRIBUTING.md has no table below "## Adding".');
  return kinds;
}

function pathIn(cell: string | undefined): string | undefined {
  return /^`(?<path>[^`]+)`$/.exec(cell ?? "")?.groups?.["path"];
}
