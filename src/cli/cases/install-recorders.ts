import { directoriesIn, baselineRoots, filesOfGroup } from "../../baseline/baseline-files.ts";
import { join } from "node:path";
import { readText } from "../../kernel/files/read.ts";
import { FETCH, MODEL_PATHS } from "../../record/adapter-call.ts";
import { hasModelRecorder } from "../../record/interceptors/recorders.ts";

/** Number of baselines of a group that are looked through: the others of a step use the same clients. */
const MAX_FILES = 20;

/** Recorders that a project's baselines were recorded by. */
interface UsedRecorders {
  readonly fetch: boolean;
  readonly models: boolean;
}

/** Returns the recorders that the tests of a project have, by the calls in its baselines. */
export function usedRecorders(root: string): UsedRecorders {
  const used = { fetch: false, models: false };
  for (const path of sampledBaselines(root)) {
    const text = readText(path) ?? "";
    used.fetch ||= text.includes(`"adapter": "${FETCH}"`);
    used.models ||= Object.values(MODEL_PATHS).some((path) => text.includes(`"adapter": "${path}"`));
    if (used.fetch && used.models) return used;
  }
  return used;
}

function* sampledBaselines(root: string): Generator<string> {
  for (const directory of baselineRoots(root))
    for (const group of directoriesIn(directory))
      for (const { path } of filesOfGroup(directory, join(directory, group)).slice(0, MAX_FILES)) yield path;
}

/** Installs the recorder of `fetch`. Call it before a client's module is loaded: clients keep the `fetch` they find. */
export async function installFetchRecorder(root: string): Promise<void> {
  const { recordGlobalFetch, useFetchInOlderSdks } = await import("./recorders-entry.ts");
  recordGlobalFetch();
  useFetchInOlderSdks(root);
}

/** Installs the recorder of the AI SDK's models, unless the project's own code has installed one. */
export async function installModelRecorder(): Promise<void> {
  if (hasModelRecorder()) return;
  const { recordAiSdk } = await import("./recorders-entry.ts");
  recordAiSdk();
}
