import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AdditionKind } from "./read-additions.ts";
import type { Sample, SampleLine } from "./samples.ts";

/**
 * Adds a sample to a checkout by the row of its kind alone, and returns the source files that it touches. Throws if the
 * row doesn't name a file that the sample needs, or names one that it doesn't.
 */
export function addSample(checkout: string, kind: AdditionKind, sample: Sample): readonly string[] {
  const path = kind.file?.replace("…", sample.file?.name ?? "…");
  if ((path === undefined) !== (sample.file === undefined))
    throw new Error(`${kind.kind}: the list and the sample disagree on whether there is a file to write.`);
  if (kind.tables.length !== sample.lines.length)
    throw new Error(
      `${kind.kind}: the list names ${kind.tables.length} tables, the sample has ${sample.lines.length}.`,
    );
  if (path !== undefined) writeFileSync(join(checkout, path), sample.file?.text ?? "");
  const inserted = [
    ...kind.tables.map((table, index) => insertLine(checkout, table, sample.lines[index])),
    insertLine(checkout, kind.documentation, sample.documentation),
    insertLine(checkout, kind.tests, sample.tests),
  ];
  return [path, ...inserted].filter((file) => file?.endsWith(".ts") === true).map(String);
}

function insertLine(checkout: string, path: string | undefined, line: SampleLine | undefined): string | undefined {
  if (path === undefined && line === undefined) return undefined;
  if (path === undefined || line === undefined)
    throw new Error(`The list names ${path ?? "no file"} for the line: ${line?.text ?? "none"}`);
  const lines = readFileSync(join(checkout, path), "utf8").split("\n");
  const at = lines.findIndex((text) => text.startsWith(line.before));
  if (at === -1) throw new Error(`${path} has no line that begins with: ${line.before}`);
  writeFileSync(join(checkout, path), lines.toSpliced(at, 0, line.text).join("\n"));
  return path;
}
