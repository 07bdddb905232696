import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type BaselineUpdate, identityOf } from "../../src/baseline/baseline.ts";
import { createValueBaseline } from "../../src/baseline/create-baseline.ts";
import { caseFileName, caseHash, groupDirectory } from "../../src/baseline/baseline-paths.ts";
import { serializeBaseline } from "../../src/baseline/serialize-baseline.ts";
import { type ProjectPaths, projectPaths } from "../../src/kernel/files/project-paths.ts";
import type { CommitContext } from "../../src/updates/commit/commit-updates.ts";
import { discard } from "./scratch.ts";

/** A small project with one commit to make: what its baselines are before, and what they are to be after. */
export interface World {
  readonly project: string;
  readonly places: ProjectPaths;
  readonly proposals: readonly BaselineUpdate[];
  /** The text of every baseline before and after, by path; undefined where there is none. */
  readonly before: ReadonlyMap<string, string | undefined>;
  readonly after: ReadonlyMap<string, string | undefined>;
}

/** A baseline of a value called `name`, as a test file's baseline directory holds it. */
export function proposalOf(
  directory: string,
  name: string,
  { before, after }: { readonly before: unknown; readonly after: unknown },
): BaselineUpdate {
  const root = join(directory, "__baselines__");
  const group = "a.test.ts";
  const text = (value: unknown): string | undefined =>
    value === undefined ? undefined : serializeBaseline(createValueBaseline(value, { test: group, name }));
  const identity = identityOf(createValueBaseline(0, { test: group, name }));
  const path = join(root, groupDirectory(group), caseFileName(name, caseHash(identity)));
  const both = before === undefined ? "add" : "update";
  return { kind: after === undefined ? "remove" : both, root, group, path, before: text(before), after: text(after) };
}

/**
 * Describes the project of a directory without writing it: two updates, a removal, and an addition in new directories.
 */
export function worldAt(project: string, state?: string): World {
  const environment = {
    XDG_STATE_HOME: join(project, ".home"),
    ...(state === undefined ? {} : { VERITEST_STATE_DIR: state }),
  };
  return worldOf(project, projectPaths(project, environment), [
    proposalOf(project, "one", { before: 1, after: { changed: "ü" } }),
    proposalOf(project, "two", { before: ["a", "b"], after: ["a"] }),
    proposalOf(project, "three", { before: "gone soon", after: undefined }),
    proposalOf(join(project, "sub"), "four", { before: undefined, after: "new" }),
  ]);
}

/** A project with these proposals and a file none of them touches. */
export function worldOf(project: string, paths: ProjectPaths, proposals: readonly BaselineUpdate[]): World {
  const bystander = proposalOf(project, "bystander", { before: undefined, after: "stays" });
  const of = (text: (update: BaselineUpdate) => string | undefined): Map<string, string | undefined> =>
    new Map([...proposals.map((update) => [update.path, text(update)] as const), [bystander.path, bystander.after]]);
  return { project, places: paths, proposals, before: of(({ before }) => before), after: of(({ after }) => after) };
}

/** Writes a project as it is before its commit. */
export function build(context: World): World {
  mkdirSync(join(context.project, "sub"), { recursive: true });
  writeFileSync(join(context.project, "package.json"), "{}\n");
  for (const [path, text] of context.before) {
    if (text === undefined) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return context;
}

/** Removes a project, and its state directory where that lies elsewhere. */
export function discardWorld({ project, places: paths }: World): void {
  discard(project);
  discard(paths.state);
}

/** Where and with what receipt a world's commit is made. */
export function contextOf({ places: paths }: Pick<World, "places">, waitMs: number = 1000): CommitContext {
  const actor = { kind: "human", because: "a fault row" } as const;
  const versions = { veritest: "0.0.0", node: "24.0.0", platform: "linux-x64" };
  return {
    paths,
    waitMs,
    receiptHead: { kind: "commit", at: "2026-01-01T00:00:00.000Z", run: "run", actor, gates: [], versions },
  };
}
