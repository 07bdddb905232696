import { RUN_GROUP_VARIABLES, readVariable } from "../../kernel/environment.ts";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { hashText } from "../../kernel/json/hash.ts";
import { writeAtomically } from "../../kernel/files/durable.ts";
import { CONFIG_FILES } from "../../kernel/files/nearest-config.ts";
import { targetName } from "../../kernel/files/project-paths.ts";
import { readText } from "../../kernel/files/read.ts";
import { versions } from "../receipts/receipt.ts";
import { gitState } from "../gates/git-state.ts";
import { filesFailed, manifestProblems } from "../gates/split-by-scope.ts";
import { type StagedRun, readStaged } from "../pending/stage-changes.ts";
import type { Policy } from "../policy.ts";
import type { EndedRun } from "../apply-run.ts";
import { type Shard, bundleText } from "./bundle.ts";

/** Identifies a shard and its run. */
export interface BundledShard extends Shard {
  /** See {@link runGroupOf}. */
  readonly runGroup: string;
}

/** A bundle that was written. */
export interface WrittenBundle {
  readonly path: string;
  /** Number of changes in it. */
  readonly changes: number;
  /** False when the group cannot be committed because of this shard. */
  readonly green: boolean;
  readonly problems: readonly string[];
}

/** Name that the shards of one run share: `VERITEST_RUN_GROUP`, else the CI service's name for the run, else empty. */
export function runGroupOf(environment: NodeJS.ProcessEnv): string {
  const names = RUN_GROUP_VARIABLES.find(([first]) => readVariable(environment, first) !== undefined) ?? [];
  return names.map((name) => readVariable(environment, name) ?? "").join("-");
}

/**
 * Writes the staged changes of a shard's run to `<directory>/bundle-<i>of<n>.ndjson`, on the disk before it returns.
 * Doesn't change baselines or staged changes. Throws file system errors, and a RangeError for a shard outside of 1 to
 * n.
 */
export function writeBundle(
  directory: string,
  ended: Pick<EndedRun, "run" | "files" | "problems" | "removals"> & {
    readonly context: Pick<EndedRun["context"], "policy" | "now">;
  },
  shard: BundledShard,
): WrittenBundle {
  const { index, count, runGroup } = shard;
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(count) || index < 1 || index > count)
    throw new RangeError(`Shard ${index} of ${count} doesn't exist.`);
  const { paths, id } = ended.run;
  const { changes, unreadable } = readStaged(paths, id);
  const head = gitState(paths, []);
  const problems = [...problemsOf(ended, { changes, unreadable }), ...(head.ok ? [] : [`git failed: ${head.error}`])];
  const green = problems.length === 0;
  const gitHead = (head.ok ? head.value?.head : undefined) ?? null;
  const facts = {
    veritest: versions().veritest,
    runGroup,
    shard: { index, count },
    gitHead,
    configHash: configHash(paths.root, ended.context.policy),
  };
  const path = join(directory, `bundle-${index}of${count}.ndjson`);
  mkdirSync(directory, { recursive: true });
  writeAtomically(
    path,
    bundleText({
      header: { bundle: 1, ...facts, run: id, at: ended.context.now.toISOString(), green, problems },
      changes,
    }),
  );
  return { path, changes: changes.length, green, problems };
}

function problemsOf(
  { run, files, problems, removals }: Pick<EndedRun, "run" | "files" | "problems" | "removals">,
  { changes, unreadable }: Pick<StagedRun, "changes" | "unreadable">,
): string[] {
  const failed = files.filter(({ passed }) => !passed).map(({ testPath }) => targetName(run.paths.root, testPath));
  return [
    ...problems,
    ...(failed.length === 0 ? [] : [`${filesFailed(failed)}.`]),
    ...(failed.length === 0 && changes.some(({ passed }) => !passed) ? ["A test failed."] : []),
    ...unreadable.map((name) => `A pending update can't be read: ${name}. Run its test again.`),
    ...manifestProblems(changes, { root: run.paths.root, files }),
    ...(removals.length === 0 ? [] : ["A shard runs only a part of the tests, so it can't find obsolete baselines."]),
  ];
}

/** Hash of a project's configuration. Equal on machines whose runs may be applied together. */
export function configHash(root: string, policy: Policy): string {
  const file = CONFIG_FILES.map((name) => join(root, name)).find((path) => existsSync(path));
  // A checkout may have other line ends than another machine's.
  const text = file === undefined ? null : (readText(file)?.replaceAll("\r\n", "\n") ?? null);
  // A limit may be infinite and `approve` is a function. JSON has neither.
  const settings = Object.entries(policy).map(([key, value]) => [
    key,
    typeof value === "object" ? stableStringify(value) : String(value),
  ]);
  return hashText(stableStringify([text, settings]));
}
