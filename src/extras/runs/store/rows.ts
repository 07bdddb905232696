import { setOwnField, isPlainObject } from "../../../kernel/json/plain-data.ts";
import { liveForm } from "../../../record/encode/decode.ts";
import { storedForm } from "../../../record/encode/encode.ts";
import type { Artifact } from "../../../kernel/step/artifact.ts";
import type { Command } from "../../../kernel/step/command.ts";
import type { AuditEvent } from "../../../kernel/step/context.ts";
import type { Block, Decision } from "../../../kernel/step/block.ts";
import type {
  CommandRow,
  CommandStatus,
  EntryKind,
  RunEntry,
  RunEvent,
  RunStatus,
  RunSummary,
  StoredRun,
} from "./contract.ts";
import type { NewRow } from "./prepare.ts";

/** A row as a driver returns it, by column names. Rows that a store wrote are trusted to be complete. */
export type Fields = Readonly<Record<string, unknown>>;

/** Reads a run's row. */
export function runOf(row: Fields): StoredRun {
  return { ...summaryOf(row), computed: fieldsOf(row["computed"]), overlay: decodeOverlay(text(row, "overlay")) };
}

/** True for a run's row of which someone decided that it ends. */
export function isCancelled(run: Fields): boolean {
  return run["cancelled_at"] !== null && run["cancelled_at"] !== undefined;
}

/** Reads a run's row without its state. */
export function summaryOf(row: Fields): RunSummary {
  return {
    workflowId: text(row, "workflow_id"),
    runId: text(row, "run_id"),
    workflowVersion: text(row, "workflow_version"),
    version: number(row, "version"),
    status: word<RunStatus>(row, "status"),
    createdAt: number(row, "created_at"),
    updatedAt: number(row, "updated_at"),
  };
}

/** Reads a version's row. */
export function entryOf(row: Fields): RunEntry {
  const input = row["input"];
  const output = row["output"];
  return {
    version: number(row, "version"),
    kind: word<EntryKind>(row, "kind"),
    stepId: text(row, "step_id"),
    stepName: text(row, "step_name"),
    workflowVersion: text(row, "workflow_version"),
    at: number(row, "at"),
    ...(typeof input === "string" ? { input: parse<unknown>(input) } : {}),
    ...(typeof output === "string" ? { output: parse<Record<string, unknown>>(output) } : {}),
    events: parse<AuditEvent[]>(text(row, "events")),
    commands: parse<Command[]>(text(row, "commands")),
    artifacts: parse<Artifact[]>(text(row, "artifacts")),
  };
}

/** Lists the events of versions in order, each with the version that wrote it. */
export function eventsOf(entries: readonly RunEntry[]): readonly RunEvent[] {
  return entries.flatMap(({ version, stepId, events }) => events.map((event) => ({ ...event, version, stepId })));
}

/** Reads a command's row. */
export function commandOf(row: Fields): CommandRow {
  const error = row["error"];
  const owner = row["lease_owner"];
  const traceparent = row["traceparent"];
  const deaths = row["deaths"];
  return {
    key: text(row, "key"),
    workflowId: text(row, "workflow_id"),
    workflowVersion: text(row, "workflow_version"),
    runId: text(row, "run_id"),
    stepId: text(row, "step_id"),
    kind: word<CommandRow["kind"]>(row, "kind"),
    target: text(row, "target"),
    payload: parse<unknown>(text(row, "payload")),
    status: word<CommandStatus>(row, "status"),
    finished: row["finished"] === true || row["finished"] === 1,
    attempts: number(row, "attempts"),
    ...(deaths === null || deaths === undefined ? {} : { deaths: number(row, "deaths") }),
    availableAt: number(row, "available_at"),
    ...(typeof traceparent === "string" ? { traceparent } : {}),
    ...(typeof owner === "string" ? { leaseOwner: owner, leaseUntil: number(row, "lease_until") } : {}),
    ...(typeof error === "string" ? { error: parse<{ code: string; message: string }>(error) } : {}),
  };
}

/**
 * Writes the new commands of steps as one JSON text, which a database reads as rows. Those that are pending begin as
 * `begin`.
 */
export function commandsJson(
  steps: readonly { readonly stepId: string; readonly rows: readonly NewRow[] }[],
  begin: CommandStatus,
): string {
  const written = steps.flatMap(({ stepId, rows }) => rows.map((row) => ({ ...row, stepId })));
  return JSON.stringify(
    written.map(({ status, joinKey, stepId, ...row }, index) => ({
      ...row,
      step_id: stepId,
      status: status === "pending" ? begin : status,
      join_key: joinKey,
      index,
    })),
  );
}

/** Reads a block's row. */
export function blockOf(row: Fields): Block {
  const detail = parse<Pick<Block, "reason" | "payload" | "checkpoint" | "resumeStep">>(text(row, "detail"));
  const resolution = row["resolution"];
  return {
    blockId: text(row, "block_id"),
    workflowId: text(row, "workflow_id"),
    workflowVersion: text(row, "workflow_version"),
    runId: text(row, "run_id"),
    stepId: text(row, "step_id"),
    stepName: text(row, "step_name"),
    kind: word<Block["kind"]>(row, "kind"),
    ...detail,
    openedAt: number(row, "opened_at"),
    ...(typeof resolution === "string"
      ? {
          resolvedAt: number(row, "resolved_at"),
          resolution: decodeResolution(resolution),
        }
      : {}),
  };
}

/**
 * Stored fields of a state: a map from the JSON of a name to the JSON of a value, so that any database can merge
 * them.
 */
export function computedJson(fields: readonly (readonly [name: string, json: string])[]): string {
  return JSON.stringify(Object.fromEntries(fields.map(([name, json]) => [JSON.stringify(name), json])));
}

function fieldsOf(stored: unknown): Record<string, unknown> {
  const map: unknown = typeof stored === "string" ? parse<unknown>(stored) : stored;
  const state: Record<string, unknown> = {};
  if (!isPlainObject(map)) return state;
  for (const [name, json] of Object.entries(map)) setOwnField(state, parse<string>(name), parse<unknown>(String(json)));
  return state;
}

/** Returns an overlay as JSON. JSON has no `undefined`, so removed fields are in a separate list. */
export function encodeOverlay(overlay: Readonly<Record<string, unknown>>): {
  readonly values: Record<string, unknown>;
  readonly removed: string[];
} {
  const values: Record<string, unknown> = {};
  const removed: string[] = [];
  for (const [name, value] of Object.entries(overlay)) {
    if (value === undefined) removed.push(name);
    else setOwnField(values, name, value);
  }
  return { values, removed: removed.toSorted() };
}

/** Returns an overlay with its removed fields as `undefined`. */
export function decodeOverlay(json: string): Record<string, unknown> {
  return overlayOf(parse<ReturnType<typeof encodeOverlay>>(json));
}

function overlayOf({ values, removed }: ReturnType<typeof encodeOverlay>): Record<string, unknown> {
  const overlay: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) setOwnField(overlay, name, value);
  for (const name of removed) setOwnField(overlay, name, undefined);
  return overlay;
}

/** Returns a resolution as JSON, which keeps the removals of an override. */
export function encodeResolution({ decision, actor, reason }: NonNullable<Block["resolution"]>): string {
  const stored = decision.kind === "override" ? { kind: "override", patch: encodeOverlay(decision.patch) } : decision;
  return JSON.stringify(storedForm({ decision: stored, actor, reason }, ["resolution"], "store"));
}

function decodeResolution(json: string): NonNullable<Block["resolution"]> {
  const { decision, actor, reason } = parse<{
    decision: Exclude<Decision, { kind: "override" }> | { kind: "override"; patch: ReturnType<typeof encodeOverlay> };
    actor: string;
    reason: string;
  }>(json);
  if (decision.kind !== "override") return { decision, actor, reason };
  return { decision: { kind: "override", patch: overlayOf(decision.patch) }, actor, reason };
}

/** Returns the value of a stored form that a store wrote as JSON. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows the type it wrote
export function parse<T>(json: string): T {
  const value = liveForm(JSON.parse(json));
  if (isWritten<T>(value)) return value;
  throw new TypeError("The store's data is damaged: a row doesn't have a value. Restore the database from a backup.");
}

/** Reads a text column. */
export function text(row: Fields, name: string): string {
  const value = row[name];
  return typeof value === "string" ? value : "";
}

/** Reads a number column; PostgreSQL returns 64-bit numbers as texts. */
export function number(row: Fields, name: string): number {
  return Number(row[name]);
}

/** Reads a column that has one of a few words. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as above
function word<T extends string>(row: Fields, name: string): T {
  const value = row[name];
  if (typeof value === "string" && isWritten<T>(value)) return value;
  throw new TypeError(`The store's data is damaged: a row doesn't have a ${name}. Restore the database from a backup.`);
}

/** Trusts that a store wrote a value of this type. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as above
function isWritten<T>(_value: unknown): _value is T {
  return true;
}
