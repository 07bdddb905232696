import { join } from "node:path";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { type BaselineLibrary, openLibrary } from "../../../baseline/library.ts";
import { groupDirectory } from "../../../baseline/names.ts";
import { type BaselineTarget, chooseSteps } from "../../../check-all/find-targets.ts";
import type { SourceCase } from "../../../check-all/stored-cases.ts";
import { storedSteps } from "../store/stored-steps.ts";
import { capturePlace } from "../../../cli/sweep/capture-request.ts";
import type { SweepProject } from "../../../cli/sweep/open-project.ts";
import type { StoredRuns } from "./ask-store.ts";
import { caseOfRun } from "./case-of-run.ts";

/** The steps that stored runs are to be swept for, and where baselines of what differs would lie. */
export function runTargets(
  { places, steps }: SweepProject,
  request: { readonly steps: readonly string[]; readonly baselines: readonly string[] },
): Result<{ readonly targets: readonly BaselineTarget[]; readonly strangers: readonly string[] }, string> {
  if (request.baselines.length > 0) return err("--baseline is about files, and --from about stored runs: give one.");
  const chosen = chooseSteps(steps, request.steps);
  if (!chosen.ok) return chosen;
  const targets: BaselineTarget[] = [];
  for (const configured of chosen.value) {
    const root = capturePlace(configured, places);
    if (!root.ok) return root;
    const directory = join(root.value, groupDirectory(configured.step.name));
    targets.push({ configured, root: root.value, directory, only: undefined });
  }
  return ok({ targets, strangers: [] });
}

/** The steps of stored runs as the cases of a sweep. Of what differs no file is made, but it is held for review. */
export class RunCases implements AsyncIterable<SourceCase> {
  readonly #runs: StoredRuns;
  readonly #places: ReadonlyMap<string, { readonly target: BaselineTarget; readonly library: BaselineLibrary }>;
  readonly #others = new Set<string>();
  /** Where a case is proposed: two runs of one input are one case, whatever the runs are called. */
  readonly #proposed = new Map<string, string>();

  constructor(runs: StoredRuns, targets: readonly BaselineTarget[]) {
    this.#runs = runs;
    this.#places = new Map(
      targets.map((target) => [target.configured.step.name, { target, library: openLibrary(target.root, new Map()) }]),
    );
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SourceCase, void, undefined> {
    for await (const one of storedSteps(this.#runs.store, this.#runs.filter)) {
      const place = this.#places.get(one.entry.stepName);
      if (place === undefined) {
        this.#others.add(one.entry.stepName);
        continue;
      }
      const { target, library } = place;
      const { stored, input, known, from } = await caseOfRun(one, target.configured.step, { library });
      const kind = known === undefined ? "add" : "update";
      const put: SourceCase["place"] = (proposal) => {
        const one = `${target.configured.step.name}\0${input.hash}`;
        const path = this.#proposed.get(one) ?? stored.path;
        this.#proposed.set(one, path);
        return { ...proposal, path, kind, before: known?.text, from };
      };
      yield { target, stored, input, place: put };
    }
  }

  /** The steps that were met and that nothing can run, in the order of their names. */
  strangers(): readonly string[] {
    return [...this.#others].toSorted();
  }
}
