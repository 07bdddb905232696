import { join } from "node:path";
import { displayPath } from "../baseline/library.ts";
import { groupDirectory } from "../baseline/names.ts";
import type { MatcherAnswer, UpdateMode } from "./context.ts";
import { explainNone } from "./explain-failures.ts";
import { type CaseFilter, describeFilter } from "./filter-cases.ts";

/** A sweep that found no stored case. */
export interface EmptySweep {
  readonly step: string;
  readonly root: string;
  readonly mode: UpdateMode;
  readonly options: CaseFilter;
}

/** The answer where a sweep finds nothing: a sweep that checks nothing must not pass. */
export function noCases({ step, root, mode, options }: EmptySweep): MatcherAnswer {
  const directory = `${displayPath(join(root, groupDirectory(step)))}/`;
  return {
    pass: false,
    message: () => explainNone({ subject: step, directory, chosen: describeFilter(options), mode }),
  };
}
