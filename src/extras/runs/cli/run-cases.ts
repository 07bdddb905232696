import { join } from "node:path";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { type BaselineLibrary, openLibrary } from "../../../baseline/baseline-library.ts";
import { groupDirectory } from "../../../baseline/baseline-paths.ts";
import { type BaselineTarget, chooseSteps } from "../../../check-all/find-targets.ts";
import type { SourceCase } from "../../../check-all/stored-cases.ts";
import { storedSteps } from "../store/stored-steps.ts";
import { captureDirectory } from "../../../cli/cases/capture-request.ts";
import type { LoadedProject } from "../../../cli/cases/open-project.ts";
import type { StoredRuns } from "./run-with-store.ts";
import { caseOfRun } from "./case-of-run.ts";

/** Targets to check with stored runs: the requested steps, and the libraries that changed baselines go into. */
export function runTargets(
  { paths, steps }: LoadedProject,
  request: { readonly steps: readonly string[]; readonly baselines: readonly string[] },
): Result<{ readonly targets: readonly BaselineTarget[]; readonly strangers: readonly string[] }, string> {
  if (request.baselines.length > 0)
    return err("--baseline is for files, and --store is for stored runs. Pass one of them.");
  const chosen = chooseSteps(steps, request.steps);
  if (!chosen.ok) return chosen;
  const targets: BaselineTarget[] = [];
  for (const configured of chosen.value) {
    const root = captureDirectory(configured, paths);
    if (!root.ok) return root;
    const directory = join(root.value, groupDirectory(configured.step.name));
    targets.push({ configured, root: root.value, directory, only: undefined });
  }
  return ok({ targets, strangers: [] });
}

/** The steps of stored runs as cases to check. A change isn't written to a file: it becomes a pending update. */
export class RunCases implements AsyncIterable<SourceCase> {
  readonly #runs: StoredRuns;
  readonly #targets: ReadonlyMap<string, { readonly target: BaselineTarget; readonly library: BaselineLibrary }>;
  readonly #unknownSteps = new Set<string>();
  /** Path that a case is proposed for. Two runs of one input are one case, whatever the names of the runs. */
  readonly #updates = new Map<string, string>();

  constructor(runs: StoredRuns, targets: readonly BaselineTarget[]) {
    this.#runs = runs;
    this.#targets = new Map(
      targets.map((target) => [target.configured.step.name, { target, library: openLibrary(target.root) }]),
    );
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SourceCase, void, undefined> {
    for await (const run of storedSteps(this.#runs.store, this.#runs.filter)) {
      const entry = this.#targets.get(run.entry.stepName);
      if (entry === undefined) {
        this.#unknownSteps.add(run.entry.stepName);
        continue;
      }
      const { target, library } = entry;
      const { stored, input, known, from } = await caseOfRun(run, target.configured.step, { library });
      const kind = known === undefined ? "add" : "update";
      const put: SourceCase["redirectUpdate"] = (update) => {
        const key = `${target.configured.step.name}\0${input.hash}`;
        const path = this.#updates.get(key) ?? stored.path;
        this.#updates.set(key, path);
        return { ...update, path, kind, before: known?.text, from };
      };
      yield { target, stored, input, redirectUpdate: put };
    }
  }

  /** Names of steps that no target covers, sorted. */
  strangers(): readonly string[] {
    return [...this.#unknownSteps].toSorted();
  }
}
