import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createValueBaseline } from "../../src/baseline/create-baseline.ts";
import { caseFileName, caseHash, groupDirectory } from "../../src/baseline/baseline-paths.ts";
import { serializeBaseline } from "../../src/baseline/serialize-baseline.ts";
import { documentOf } from "./entities.ts";

/** Baselines of values as files. */
export interface StoredValues {
  readonly root: string;
  /** The test file they belong to. */
  readonly test: string;
  readonly names: readonly string[];
  readonly paths: readonly string[];
  readonly texts: readonly string[];
  readonly remove: () => void;
}

/** The text of a case's baseline, 2 KB of JSON; `generation` makes another text of the same case. */
export function valueText(test: string, name: string, generation: number): string {
  return serializeBaseline(createValueBaseline({ generation, ...documentOf(8) }, { test, name }));
}

/** Writes as many baselines of 2 KB into a fresh folder. */
export function storeValues(count: number): StoredValues {
  const root = join(mkdtempSync(join(tmpdir(), "veritest-bench-")), "__baselines__");
  const test = "store.test.ts";
  const directory = join(root, groupDirectory(test));
  mkdirSync(directory, { recursive: true });
  const names = Array.from({ length: count }, (_, index) => `case ${index}`);
  const paths = names.map((name) => join(directory, caseFileName(name, caseHash({ name }))));
  const texts = names.map((name) => valueText(test, name, 0));
  for (const [index, path] of paths.entries()) writeFileSync(path, texts[index] ?? "");
  return { root, test, names, paths, texts, remove: () => rmSync(join(root, ".."), { recursive: true, force: true }) };
}

/** Reads files back. */
export function readAll(paths: readonly string[]): string[] {
  return paths.map((path) => readFileSync(path, "utf8"));
}
