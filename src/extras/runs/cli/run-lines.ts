import { stableStringify } from "../../../kernel/json/canonical-json.ts";
import { truncate } from "../../../kernel/text.ts";
import { plainCount } from "../../../explain/wording.ts";
import { storedForm } from "../../../record/encode/encode.ts";
import type { Block } from "../../../kernel/step/block.ts";
import type { CommandRow, RunEntry, RunSummary } from "../store/contract.ts";

/** A run with its stored entries, commands and blocks, as `--json` prints it. */
export interface ShownRun {
  readonly run: Pick<RunSummary, "workflowId" | "runId"> &
    Partial<RunSummary> & {
      readonly computed: Readonly<Record<string, unknown>>;
      readonly overlay: Readonly<Record<string, unknown>>;
      /** Fields that the overlay removes. */
      readonly removed: readonly string[];
      readonly effective: Readonly<Record<string, unknown>>;
    };
  readonly entries: readonly RunEntry[];
  readonly commands: readonly CommandRow[];
  readonly blocks: readonly Block[];
}

const VALUE_LENGTH = 80;

/** Line for a run in a list. */
export function runLine({ runId, workflowId, workflowVersion, status, version, updatedAt }: RunSummary): string {
  return `${status.padEnd(9)}  ${timeOf(updatedAt)}  ${workflowId} ${workflowVersion}  ${runId}  version ${version}`;
}

/** Lines for a run: its three layers of state, its history, and the commands and blocks that are open. */
export function runLines({ run, entries, commands, blocks }: ShownRun): string[] {
  const open = commands.filter(({ finished: isDone }) => !isDone);
  const failed = commands.filter(({ status }) => status === "failed");
  return [
    `${run.workflowId} ${run.workflowVersion ?? ""}  ${run.runId}  ${run.status ?? ""}, version ${run.version ?? 0}`,
    "",
    "State (computed, overlay, effective)",
    ...stateLines(run),
    "",
    "History",
    ...entries.map((entry) => `  ${String(entry.version).padStart(3)}  ${timeOf(entry.at)}  ${entryWords(entry)}`),
    ...(open.length === 0 ? [] : ["", "To do", ...open.map(commandLine)]),
    ...(failed.length === 0 ? [] : ["", "Failed", ...failed.map(commandLine)]),
    ...blocks.filter(({ resolution }) => resolution === undefined).flatMap((block) => ["", ...blockLines(block)]),
  ];
}

function stateLines({ computed, overlay, removed }: ShownRun["run"]): string[] {
  const names = [...new Set([...Object.keys(computed), ...Object.keys(overlay)])].toSorted();
  if (names.length === 0) return ["  (empty)"];
  return names.map((name) => {
    const below = Object.hasOwn(computed, name) ? valueText(computed[name]) : "–";
    if (removed.includes(name)) return `  ${name}: ${below}  ← removed by a person`;
    if (!Object.hasOwn(overlay, name)) return `  ${name}: ${below}`;
    return `  ${name}: ${below}  ← ${valueText(overlay[name])} set by a person`;
  });
}

function entryWords({ kind, stepName, events, commands }: RunEntry): string {
  const types = events.map(({ type }) => type).join(", ");
  const suffix = types === "" ? "" : `  [${types}]`;
  const wanted = commands.length === 0 ? "" : `  → ${commands.map(({ type }) => type).join(", ")}`;
  return `${kind} ${stepName}${suffix}${wanted}`;
}

function commandLine({ kind, target, status, attempts, error, key }: CommandRow): string {
  const why = error === undefined ? "" : `  ${error.code}: ${error.message}`;
  return `  ${status.padEnd(10)}  ${kind} ${target}  ${plainCount(attempts, "attempt")}  ${key.slice(0, 15)}…${why}`;
}

/** Lines for an open block: its reason, and how to resolve it. */
export function blockLines({
  blockId,
  kind,
  workflowId,
  runId,
  stepName,
  reason,
  openedAt,
  ...block
}: Block): string[] {
  const detail = kind === "review" ? block.payload : block.checkpoint;
  const how = kind === "review" ? "--approve, --reject or --override <json>" : "--resume <json>";
  return [
    `${kind} of ${workflowId}/${runId} by ${stepName}, since ${timeOf(openedAt)}: ${reason}`,
    ...(detail === undefined ? [] : [`  ${valueText(detail)}`]),
    `  npx veritest runs resolve ${blockId} --reason <text> ${how}`,
  ];
}

function valueText(value: unknown): string {
  return truncate(stableStringify(storedForm(value)), VALUE_LENGTH);
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, "Z");
}
