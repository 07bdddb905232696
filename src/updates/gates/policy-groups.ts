import { dirname, join, resolve, sep } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import type { PendingChange } from "../pending/pending-change.ts";
import type { UpdateContext } from "../update-context.ts";

/** Facts about a decision that the gates need. */
export type GateContext = Pick<UpdateContext, "paths" | "policy" | "policyAt" | "actor" | "by" | "reason">;

/** Changes that one configuration decides on. */
export interface PolicyGroup {
  readonly changes: readonly PendingChange[];
  /** Facts for the gates, with the policy and actor of this configuration. Its commands run in `directory`. */
  readonly context: GateContext & { readonly directory: string };
}

/**
 * Groups changes by the configuration that applies to them: the nearest one above the baseline, and the nearest one
 * above its test file. If these differ, the change must pass both, because a record that comes from elsewhere could
 * name any test file. The error is one sentence: a configuration can't be loaded, so none of the changes may be
 * written.
 */
export async function groupByPolicy(
  changes: readonly PendingChange[],
  context: GateContext,
): Promise<Result<readonly PolicyGroup[], string>> {
  const { policyAt, paths } = context;
  if (policyAt === undefined) return ok([{ changes, context: { ...context, directory: paths.root } }]);
  const groups = new Map<string | undefined, { changes: Set<PendingChange>; context: PolicyGroup["context"] }>();
  for (const change of changes) {
    for (const directory of directoriesOf(change, paths)) {
      const lookup = await policyAt(directory);
      if (!lookup.ok) return err(lookup.error);
      const { policy, actor, root } = lookup.value;
      const group = groups.get(root) ?? {
        changes: new Set(),
        context: { ...context, policy, actor, directory: root ?? paths.root },
      };
      groups.set(root, group);
      group.changes.add(change);
    }
  }
  return ok([...groups.values()].map((group) => ({ ...group, changes: [...group.changes] })));
}

/** A removal belongs to no test file. Code outside of the work tree is never loaded for a record that names it. */
function directoriesOf(
  { target, testFile }: PendingChange,
  { root, area }: Pick<ProjectPaths, "root" | "area">,
): readonly string[] {
  const files = testFile === "" ? [target] : [target, testFile];
  return files
    .map((file) => dirname(resolve(root, file)))
    .filter((path) => `${path}${sep}`.startsWith(join(area, sep)));
}
