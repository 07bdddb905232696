import { resolve } from "node:path";
import type { PendingChange } from "../../updates/pending/pending-change.ts";
import { adoptDeadRuns, outdatedReason } from "../../updates/pending/tidy-pending.ts";
import { locationProblem } from "../../updates/pending/accept-pending.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import { JSON_OPTION, UPLOAD_OPTION } from "../common-options.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { keyOf } from "../../updates/pending/key-of.ts";
import { age, testLabel, pendingReason } from "../review/render-review.ts";
import { printNothingPending, selectablePending } from "../review/select-pending.ts";
import { printRefusal, oneLine, printLines, printJson } from "../terminal/print.ts";
import { groupText, groupCountsText, shownGroups } from "../../explain/group-lines.ts";
import { type PendingGroup, pendingGroups } from "../review/pending-groups.ts";
import { plainCount } from "../../explain/wording.ts";

/** `veritest pending`: lists the pending changes. Decides and removes none. */
export const pendingCommand: CliCommand = {
  options: [JSON_OPTION, UPLOAD_OPTION],
  examples: [
    "veritest pending                    # pending changes here",
    "veritest pending --from state.zip   # pending changes in an upload",
  ],
  run,
};

function run(input: CommandInput, io: CliIo): ExitCode {
  const paths = cliPaths(io);
  // Changes of a killed run are pending too, after they have been adopted.
  if (input.text("from") === undefined) adoptDeadRuns(paths);
  const pending = selectablePending(input, paths, io);
  if (!pending.ok) return printRefusal(io, pending.error);
  const listed = pending.value.map((change) => ({ change, state: stateOf(change, paths) }));
  const from = input.text("from");
  // Don't read files outside of the project, even if an upload names them.
  const applicable = listed.flatMap(({ change, state }) => (state === "misplaced" ? [] : [change]));
  const groups = pendingGroups(applicable, { root: paths.root, trusted: from === undefined });
  const ids = new Map(groups.flatMap(({ id, members }) => members.map((change) => [change, id])));
  if (input.flag("json"))
    printJson(
      io,
      listed.map(({ change, state }) => ({ ...dataOf(change, state), groupId: ids.get(change) ?? null })),
    );
  else if (listed.length === 0) printNothingPending(from, paths, io);
  else
    printLines(io, [
      ...listed.flatMap(({ change, state }) => linesOf(change, state)),
      "",
      ...groupLines(groups),
      ...hints(listed.length, from),
    ]);
  return EXIT.clean;
}

/** Returns whether accepting it could still work; a path outside of the project isn't even read. */
function stateOf(change: PendingChange, paths: ProjectPaths): string {
  return locationProblem([change], paths) === undefined
    ? (outdatedReason(resolve(paths.root, change.target), change) ?? "open")
    : "misplaced";
}

/** Returns everything but the texts, which may be large and are in the files. */
function dataOf({ text: _text, version: _version, shape: _shape, ...change }: PendingChange, state: string): object {
  return { ...change, key: keyOf(change), state };
}

/** Lists the groups with several changes. */
function groupLines(groups: readonly PendingGroup[]): string[] {
  if (groups.every(({ count }) => count === 1)) return [];
  const { listed: groupsShown, rest } = shownGroups(groups);
  const lines = groupsShown.map((group) => oneLine(`${group.id}  ${groupText(group)}`));
  return [`${groupCountsText(groups)}:`, ...lines, ...(rest === undefined ? [] : [rest]), ""];
}

function linesOf(change: PendingChange, state: string): string[] {
  const { kind, verdict, target, at } = change;
  const note = state === "open" ? "" : `  (${state})`;
  const lines = [
    `${keyOf(change)}  ${kind.padEnd(6)}  ${verdict.padEnd(16)}  ${target}${note}`,
    `              ${testLabel(change)}: ${pendingReason(change)}, ${age(at, Date.now())}`,
  ];
  return lines.map(oneLine);
}

function hints(count: number, from: string | undefined): string[] {
  const what = `${plainCount(count, "change is pending", "changes are pending")}.`;
  const more = from === undefined ? "" : ` --from ${oneLine(from)}`;
  return [
    `${what} Review ${count === 1 ? "it" : "them"}: npx veritest review${more}`,
    `To decide on one change, run: npx veritest accept <key>${more}${from === undefined ? ", or reject <key>" : ""}`,
  ];
}
