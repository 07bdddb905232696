import { basename } from "node:path";
import { type BaselineUpdate, identityOf } from "../baseline/baseline.ts";
import { type BaselineLibrary, type StoredCase, displayPath, openLibrary } from "../baseline/baseline-library.ts";
import { parseBaseline } from "../baseline/parse-baseline.ts";
import type { Case } from "../check/check.ts";
import { readText } from "../kernel/files/read.ts";
import type { BaselineTarget } from "./find-targets.ts";

/** Stored case of a configured step. */
export interface SourceCase {
  readonly target: Pick<BaselineTarget, "configured" | "root">;
  readonly stored: StoredCase;
  /** Input of a case that isn't a file. Default: the input of the baseline. */
  readonly input?: Case["input"];
  /** Converts the update of a case that isn't a file into a change of its file. */
  readonly redirectUpdate?: (update: BaselineUpdate) => BaselineUpdate;
}

/** Yields the baselines of targets, one after another. */
export function* filedCases(targets: readonly BaselineTarget[]): Generator<SourceCase, void, undefined> {
  for (const target of targets) {
    const { configured, root, only } = target;
    const { name } = configured.step;
    const library = openLibrary(root);
    const cases = only === undefined ? library.each(name) : [caseOfFile(library, name, only)];
    for (const stored of cases) yield { target, stored };
  }
}

/** Finds the case by its identity, because a directory may have very many files; else by its path among all. */
function caseOfFile(library: BaselineLibrary, step: string, path: string): StoredCase {
  const text = readText(path) ?? "";
  const file = displayPath(path);
  const baseline = parseBaseline(text, file);
  if (!baseline.ok) return { path, file, text, baseline };
  const { stored } = library.find(step, identityOf(baseline.value), basename(path, ".json"));
  if (stored?.path === path) return stored;
  for (const each of library.each(step)) if (each.path === path) return each;
  return { path, file, text, baseline };
}
