import { targetName } from "../../kernel/files/project-paths.ts";
import { announcedRun } from "../test-run.ts";
import { storedKeyOf } from "./pending-change.ts";
import { readPendingChange } from "./pending-store.ts";
import { outdatedReason } from "./tidy-pending.ts";

/** Returns the text that an earlier run of a test left pending for a baseline, if accepting it would write it. */
export function pendingOfTest(
  path: string,
  { testPath, testName: test }: { readonly testPath: string; readonly testName: string },
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const run = announcedRun(environment);
  if (run === undefined) return undefined;
  const { root, state } = run.paths;
  const key = storedKeyOf({ target: targetName(root, path), testFile: targetName(root, testPath), test });
  const change = readPendingChange(state, key);
  const isDue = change?.contradicted === false && outdatedReason(path, change) === undefined;
  return isDue ? change.text : undefined;
}
