import { resolve } from "node:path";
import { loadConfig } from "../../config/load-config.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { type PendingChange, pendingChange } from "../../updates/pending/pending-change.ts";
import { expired, readPending } from "../../updates/pending/pending-store.ts";
import { matchesName } from "../../kernel/matches-name.ts";
import { outdatedReason } from "../../updates/pending/tidy-pending.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import { JSON_OPTION, REASON_OPTION, YES_OPTION } from "../common-options.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import { type ObsoleteGroup, findObsoleteGroups, obsoleteReason } from "../inspect/find-obsolete-groups.ts";
import type { CliIo } from "../terminal/io.ts";
import { withUpdateContext } from "../review/with-update-context.ts";
import { acceptAndPrint } from "../review/accept-and-print.ts";
import { tidyAndPrint } from "../review/select-pending.ts";
import { isInteractive, promptYes } from "../terminal/prompt.ts";
import { oneLine, printJson, printLines, printRefusal, textIo } from "../terminal/print.ts";
import { plainCount } from "../../explain/wording.ts";

/** `veritest prune`: lists obsolete files. Removes them with `--yes`, as one transaction. */
export const pruneCommand: CliCommand = {
  options: [
    {
      flags: "--step <name>",
      description: "only baselines of this step or test file; * matches any characters; repeatable",
      repeatable: true,
    },
    YES_OPTION,
    REASON_OPTION,
    JSON_OPTION,
  ],
  examples: [
    "veritest prune                      # baselines that no test uses",
    'veritest prune --step "old-*" --yes   # remove the baselines of some steps',
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const paths = cliPaths(io);
  const config = await loadConfig(paths.root);
  if (!config.ok) return printRefusal(io, config.error);
  const steps = input.list("step");
  const matches = await findObsoleteGroups(paths, config.value);
  if (!matches.ok) return printRefusal(io, matches.error);
  const obsolete = matches.value.filter(
    ({ group }) => steps.length === 0 || steps.some((pattern) => matchesName(pattern, group)),
  );
  const outdated = outdatedCount(paths, config.value.policy.pendingDays);
  const json = input.flag("json");
  const text = textIo(io, json);
  printLines(text, obsolete.flatMap(linesOf).map(oneLine));
  if (obsolete.length + outdated > 0 && (await isConfirmed(input, toRemove(obsolete, outdated), text)))
    return remove(obsolete, input, io);
  if (json) printJson(io, { obsolete: obsolete.map(factsOf), pending: outdated });
  else
    printLines(io, [
      obsolete.length + outdated === 0
        ? "No baselines are obsolete. A complete run can find more, and -u removes them."
        : `${toRemove(obsolete, outdated)}. To remove obsolete baselines and outdated changes, ` +
          "run: npx veritest prune --yes",
    ]);
  return EXIT.clean;
}

/** Returns whether to remove what is listed: with `--yes`, or if the user of a terminal confirms it. */
async function isConfirmed(input: CommandInput, what: string, io: CliIo): Promise<boolean> {
  if (input.flag("yes")) return true;
  return isInteractive(io) && promptYes(`Remove ${what}?`, io);
}

/** Obsolete baselines in the form of `--json`. */
function factsOf(obsolete: ObsoleteGroup): object {
  const { group, directory, baselines } = obsolete;
  return { group, directory, reason: obsoleteReason(obsolete), targets: baselines.map(({ target }) => target) };
}

async function remove(obsolete: readonly ObsoleteGroup[], input: CommandInput, io: CliIo): Promise<ExitCode> {
  const json = input.flag("json");
  const text = textIo(io, json);
  return withUpdateContext(text, input.text("reason"), (context) => {
    tidyAndPrint(context, text);
    if (obsolete.length > 0) return acceptAndPrint(removals(obsolete, context.paths), context, { io, json });
    if (json) printJson(io, { outcome: "accepted", accepted: [], dropped: [], receipt: null, problems: [] });
    return EXIT.clean;
  });
}

/** Returns the removals of obsolete baselines, which are applied like accepted changes. */
function removals(obsolete: readonly ObsoleteGroup[], { root }: Pick<ProjectPaths, "root">): PendingChange[] {
  const origin = {
    projectRoot: root,
    testPath: root,
    test: "veritest prune",
    passed: true,
    run: "cli",
    at: new Date().toISOString(),
  };
  return obsolete.flatMap((group) =>
    group.baselines.map((stored) =>
      pendingChange(
        {
          update: {
            kind: "remove",
            root: stored.root,
            path: stored.path,
            group: group.group,
            before: stored.text,
            after: undefined,
          },
          intent: "review",
          verdict: "obsolete",
          shown: [`    ${obsoleteReason(group)}`],
        },
        origin,
      ),
    ),
  );
}

/** Counts obsolete pending changes. */
function outdatedCount({ root, state }: ProjectPaths, pendingDays: number): number {
  const { changes } = readPending(state);
  const old = new Set(expired(changes, { pendingDays, now: Date.now() }));
  return changes.filter(
    (change) => old.has(change) || outdatedReason(resolve(root, change.target), change) !== undefined,
  ).length;
}

function linesOf(group: ObsoleteGroup): string[] {
  return [`${group.group}: ${obsoleteReason(group)}`, ...group.baselines.map(({ target }) => `  ${target}`)];
}

function toRemove(obsolete: readonly ObsoleteGroup[], outdated: number): string {
  const count = obsolete.reduce((sum, { baselines }) => sum + baselines.length, 0);
  const parts = [
    ...(count === 0 ? [] : [plainCount(count, "baseline")]),
    ...(outdated === 0 ? [] : [`${outdated} outdated pending ${outdated === 1 ? "change" : "changes"}`]),
  ];
  return parts.join(" and ");
}
