import { basename, dirname } from "node:path";
import { groupOf, identityOf } from "../../baseline/baseline.ts";
import { caseFileTest, groupDirectory } from "../../baseline/names.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { readBack } from "../../baseline/serialize-baseline.ts";

/** What is wrong with the text of a baseline's file, in one sentence, or undefined. `file` is its name for people. */
export function damageOf(text: string, path: string, file: string): string | undefined {
  const parsed = parseBaseline(text, file);
  if (!parsed.ok) return parsed.error;
  const problem = readBack(text);
  if (problem !== undefined) return `Cannot use ${file}: ${problem}.`;
  const placed =
    basename(dirname(path)) === groupDirectory(groupOf(parsed.value)) &&
    caseFileTest(identityOf(parsed.value))(basename(path));
  return placed ? undefined : `Cannot use ${file}: it is not in the place of the case it holds.`;
}
