import { resolve } from "node:path";
import { z } from "zod";
import { isGroupName } from "../../explain/change-groups.ts";
import type { Places } from "../../kernel/files/places.ts";
import { readText } from "../../kernel/files/read.ts";
import type { PendingChange } from "../../updates/pending/pending-change.ts";
import { readPending } from "../../updates/pending/pending.ts";
import {
  type ChosenGroup,
  acceptPending,
  locationProblem,
  rejectPending,
} from "../../updates/pending/settle-pending.ts";
import { outdatedReason } from "../../updates/pending/tidy-pending.ts";
import type { UpdateContext } from "../../updates/settler.ts";
import { shortId } from "../../updates/receipts/receipts.ts";
import { type PendingGroup, findGroup, pendingGroups } from "../review/pending-groups.ts";
import type { ACTS } from "./request-guard.ts";

const hash = z.string().max(100).nullable();

/** What a page sends: the changes as it showed them, by the hashes of their texts. */
const askedSchema = z.strictObject({
  changes: z
    .array(z.strictObject({ key: z.string().regex(/^[0-9a-f]{12}$/), before: hash, after: hash }))
    .min(1)
    .max(20_000),
  reason: z.string().max(2000).optional(),
  /** The kind of change that all of them are, where one of them was looked at. */
  group: z.string().max(66).refine(isGroupName).optional(),
});

/** An answer to a page: a status, and JSON. */
export interface PageAnswer {
  readonly status: number;
  readonly body: SettledAnswer | ShownAnswer;
}

/** What came of what a page asked to settle. */
interface SettledAnswer {
  /** `stale`: what the page showed is no longer what waits. Then, and where it is refused, nothing was settled. */
  readonly outcome: "accepted" | "rejected" | "refused" | "stale" | "blocked" | "unsettled";
  /** The keys of what was settled. */
  readonly keys: readonly string[];
  /** A sentence each. */
  readonly problems: readonly string[];
  readonly receipt: string | null;
}

/** The whole texts of one change, before and after; null where there is no file. */
interface ShownAnswer {
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Does what a page asks, on exactly what it showed: a change that waits no longer, or has another text, before or
 * after, stops all of it, and so does a group that is not the one that waits. `settlerFor` makes the settler, with the
 * reason that was given; a sentence where it may not.
 */
export async function answerPage(
  act: (typeof ACTS)[number],
  text: string,
  settlerFor: (reason: string | undefined) => UpdateContext | string,
): Promise<PageAnswer> {
  const asked = parsed(text);
  if (asked === undefined) return nothing(400, "refused", "This is nothing that the page sends.");
  const context = settlerFor(asked.reason === "" ? undefined : asked.reason);
  if (typeof context === "string") return nothing(409, "refused", context);
  const changes = standing(asked.changes, context);
  if (changes === undefined)
    return nothing(409, "stale", "What waits is no longer what this page shows: load it again.");
  const groups = chosenGroups(asked.group, { changes, settler: context });
  if (groups === undefined)
    return nothing(409, "stale", "This kind of change is no longer what this page shows: load it again.");
  switch (act) {
    case "show":
      return shown(changes, context);
    case "accept":
      return accepted(changes, context, groups);
    case "reject":
      return rejected(changes, context, groups);
  }
}

/** The groups of what waits; none while a change of it would lead out of the project, as their files would be read. */
export function waitingGroups(places: Places): readonly PendingGroup[] {
  const { changes } = readPending(places.state);
  return locationProblem(changes, places) === undefined
    ? pendingGroups(changes, { root: places.root, trusted: true })
    : [];
}

/** What was chosen by its group; undefined where what waits of the group is not exactly the changes that were sent. */
function chosenGroups(
  name: string | undefined,
  { changes, settler: context }: { readonly changes: readonly PendingChange[]; readonly settler: UpdateContext },
): readonly ChosenGroup[] | undefined {
  if (name === undefined) return [];
  const found = findGroup(waitingGroups(context.places), name);
  if (!found.ok) return undefined;
  const { id, members } = found.value;
  const keys = new Set(members.map(({ key }) => key));
  return keys.size === changes.length && changes.every(({ key }) => keys.has(key)) ? [{ id, changes }] : undefined;
}

function parsed(text: string): z.infer<typeof askedSchema> | undefined {
  try {
    return askedSchema.safeParse(JSON.parse(text)).data;
  } catch {
    // No JSON is no request of the page either.
    return undefined;
  }
}

/** The changes that were asked for, as they wait now; undefined where one is gone, is another, or is overtaken. */
function standing(
  asked: z.infer<typeof askedSchema>["changes"],
  { places }: UpdateContext,
): readonly PendingChange[] | undefined {
  const waiting = new Map(readPending(places.state).changes.map((change) => [change.key, change]));
  const found = asked.map(({ key, before, after }) => {
    const change = waiting.get(key);
    return change?.before === before && change.after === after ? change : undefined;
  });
  const changes = [...new Set(found.filter((change) => change !== undefined))];
  // Before any file they name is read.
  if (found.includes(undefined) || locationProblem(changes, places) !== undefined) return undefined;
  return changes.some((change) => outdatedReason(resolve(places.root, change.target), change) !== undefined)
    ? undefined
    : changes;
}

function shown([change]: readonly PendingChange[], { places }: UpdateContext): PageAnswer {
  if (change === undefined) return nothing(400, "refused", "This is nothing that the page sends.");
  const before = change.before === null ? undefined : readText(resolve(places.root, change.target));
  return { status: 200, body: { before: before ?? null, after: change.text ?? null } };
}

async function accepted(
  changes: readonly PendingChange[],
  context: UpdateContext,
  groups: readonly ChosenGroup[],
): Promise<PageAnswer> {
  const { outcome, accepted: written, receipt, stale, problems } = await acceptPending(changes, context, groups);
  const keys = written.map(({ key }) => key);
  const body = { keys, problems, receipt: receipt === undefined ? null : shortId(receipt) };
  if (outcome === "accepted" && keys.length === 0 && stale.length > 0)
    return nothing(409, "stale", "What waits is no longer what this page shows: load it again.");
  return { status: outcome === "accepted" ? 200 : 409, body: { ...body, outcome } };
}

function rejected(
  changes: readonly PendingChange[],
  context: UpdateContext,
  groups: readonly ChosenGroup[],
): PageAnswer {
  const { rejected: dropped, receipt, problems } = rejectPending(changes, context, groups);
  if (problems.length > 0) return { status: 409, body: { outcome: "refused", keys: [], problems, receipt: null } };
  const keys = dropped.map(({ key }) => key);
  return {
    status: 200,
    body: { outcome: "rejected", keys, problems, receipt: receipt === undefined ? null : shortId(receipt) },
  };
}

function nothing(status: number, outcome: "refused" | "stale", problem: string): PageAnswer {
  return { status, body: { outcome, keys: [], problems: [problem], receipt: null } };
}
