import { resolve } from "node:path";
import { loadConfig } from "../../config/load-config.ts";
import type { Places } from "../../kernel/files/places.ts";
import { type PendingChange, pendingChange } from "../../updates/pending/pending-change.ts";
import { expired, readPending } from "../../updates/pending/pending.ts";
import { fitsName } from "../../kernel/fits-name.ts";
import { outdatedReason } from "../../updates/pending/tidy-pending.ts";
import { cliPlaces } from "../terminal/cli-places.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import { type Orphans, findOrphans, orphanWords } from "../inspect/find-orphans.ts";
import type { CliIo } from "../terminal/io.ts";
import { withSettler } from "../review/settler-here.ts";
import { acceptAndSay } from "../review/settle-and-say.ts";
import { tidy } from "../review/waiting.ts";
import { refuse, oneLine, say } from "../terminal/say.ts";
import { amount } from "../../explain/wording.ts";

/** `veritest prune`: lists obsolete files. Removes them with `--yes`, as one transaction. */
export const pruneCommand: CliCommand = {
  options: [
    {
      flags: "--step <name>",
      description: "only of this step, or of this test file; * stands for any characters; may be repeated",
      repeatable: true,
    },
    { flags: "--yes", description: "remove what is listed" },
    { flags: "--reason <text>", description: "why, for the receipt (VERITEST_REASON)" },
  ],
  examples: [
    "veritest prune                      # what nothing names any more",
    'veritest prune --step "old-*" --yes   # remove those of some steps',
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const places = cliPlaces(io);
  const config = await loadConfig(places.root);
  if (!config.ok) return refuse(io, config.error);
  const steps = input.list("step");
  const matches = await findOrphans(places, config.value);
  if (!matches.ok) return refuse(io, matches.error);
  const orphans = matches.value.filter(
    ({ group }) => steps.length === 0 || steps.some((pattern) => fitsName(pattern, group)),
  );
  const stale = staleCount(places, config.value.policy.pendingDays);
  say(io, orphans.flatMap(linesOf).map(oneLine));
  if (orphans.length + stale === 0) {
    say(io, [
      "Nothing to prune. What only a complete run can tell to be unused, it reports as obsolete, and removes with -u.",
    ]);
    return EXIT.clean;
  }
  if (input.flag("yes")) return remove(orphans, input, io);
  say(io, [`${toRemove(orphans, stale)}. Remove: npx veritest prune --yes`]);
  return EXIT.clean;
}

async function remove(orphans: readonly Orphans[], input: CommandInput, io: CliIo): Promise<ExitCode> {
  return withSettler(io, input.text("reason"), (context) => {
    tidy(context, io);
    return orphans.length === 0 ? EXIT.clean : acceptAndSay(removals(orphans, context.places), context, { io });
  });
}

/** Returns the removals of obsolete baselines, which are applied like accepted changes. */
function removals(orphans: readonly Orphans[], { root }: Pick<Places, "root">): PendingChange[] {
  const origin = {
    projectRoot: root,
    testPath: root,
    test: "veritest prune",
    passed: true,
    run: "cli",
    at: new Date().toISOString(),
  };
  return orphans.flatMap((orphan) =>
    orphan.baselines.map((stored) =>
      pendingChange(
        {
          proposal: {
            kind: "remove",
            root: stored.root,
            path: stored.path,
            group: orphan.group,
            before: stored.text,
            after: undefined,
          },
          intent: "review",
          verdict: "obsolete",
          shown: [`    ${orphanWords(orphan)}`],
        },
        origin,
      ),
    ),
  );
}

/** Counts obsolete pending changes. */
function staleCount({ root, state }: Places, pendingDays: number): number {
  const { changes } = readPending(state);
  const old = new Set(expired(changes, { pendingDays, now: Date.now() }));
  return changes.filter(
    (change) => old.has(change) || outdatedReason(resolve(root, change.target), change) !== undefined,
  ).length;
}

function linesOf(orphan: Orphans): string[] {
  return [`${orphan.group}: ${orphanWords(orphan)}`, ...orphan.baselines.map(({ target }) => `  ${target}`)];
}

function toRemove(orphans: readonly Orphans[], stale: number): string {
  const count = orphans.reduce((sum, { baselines }) => sum + baselines.length, 0);
  const parts = [
    ...(count === 0 ? [] : [amount(count, "baseline")]),
    ...(stale === 0 ? [] : [`${stale} pending ${stale === 1 ? "change" : "changes"} without a meaning`]),
  ];
  return parts.join(" and ");
}
