import { resolve } from "node:path";
import { z } from "zod/v4";
import { isGroupName } from "../../explain/change-groups.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { readText } from "../../kernel/files/read.ts";
import type { PendingChange } from "../../updates/pending/pending-change.ts";
import { readPending } from "../../updates/pending/pending-store.ts";
import {
  type ChosenGroup,
  acceptPending,
  locationProblem,
  rejectPending,
} from "../../updates/pending/accept-pending.ts";
import { outdatedReason } from "../../updates/pending/tidy-pending.ts";
import type { UpdateContext } from "../../updates/update-context.ts";
import { shortId } from "../../updates/receipts/receipts.ts";
import { type PendingGroup, findGroup, pendingGroups } from "../review/pending-groups.ts";
import type { ACTS } from "./request-guard.ts";

const hash = z.string().max(100).nullable();

/** Request of a page: the changes as shown, by the hashes of their texts. */
const requestSchema = z.strictObject({
  changes: z
    .array(z.strictObject({ key: z.string().regex(/^[0-9a-f]{12}$/), before: hash, after: hash }))
    .min(1)
    .max(20_000),
  reason: z.string().max(2000).optional(),
  /** Group of all changes if they were chosen by an example. */
  group: z.string().max(66).refine(isGroupName).optional(),
});

/** Response to a page: a status, and JSON. */
export interface PageResponse {
  readonly status: number;
  readonly body: UpdateResponse | ShownAnswer;
}

/** Result of a page's request to accept or reject. */
interface UpdateResponse {
  /** `outdated`: the page no longer shows the pending changes. If outdated or refused, no change was applied. */
  readonly outcome: "accepted" | "rejected" | "refused" | "outdated" | "blocked" | "incomplete";
  /** Keys of the applied changes. */
  readonly keys: readonly string[];
  /** One sentence each. */
  readonly problems: readonly string[];
  readonly receipt: string | null;
}

/** Full texts of one change, before and after; null if there is no file. */
interface ShownAnswer {
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Handles a request on exactly the changes that the page showed. If one is no longer pending, has another text before
 * or after, or isn't the group's, the request fails. `contextFor` opens the context with the given reason, or returns a
 * sentence if it can't.
 */
export async function handlePageRequest(
  act: (typeof ACTS)[number],
  text: string,
  contextFor: (reason: string | undefined) => UpdateContext | string,
): Promise<PageResponse> {
  const request = parsed(text);
  if (request === undefined) return nothing(400, "refused", "The server doesn't know this request. Reload the page.");
  const context = contextFor(request.reason === "" ? undefined : request.reason);
  if (typeof context === "string") return nothing(409, "refused", context);
  const changes = pendingOf(request.changes, context);
  if (changes === undefined)
    return nothing(409, "outdated", "The pending changes differ from those on this page. Reload the page.");
  const groups = chosenGroups(request.group, { changes, context });
  if (groups === undefined)
    return nothing(409, "outdated", "This group has changed since the page was loaded. Reload the page.");
  switch (act) {
    case "show":
      return shown(changes, context);
    case "accept":
      return accepted(changes, context, groups);
    case "reject":
      return rejected(changes, context, groups);
  }
}

/** Returns the pending groups; none if a change would lead out of the project, because grouping reads the files. */
export function servedPendingGroups(paths: ProjectPaths): readonly PendingGroup[] {
  const { changes } = readPending(paths.state);
  return locationProblem(changes, paths) === undefined
    ? pendingGroups(changes, { root: paths.root, trusted: true })
    : [];
}

/** Returns the group that was chosen; undefined if its pending changes aren't exactly those of the request. */
function chosenGroups(
  name: string | undefined,
  { changes, context }: { readonly changes: readonly PendingChange[]; readonly context: UpdateContext },
): readonly ChosenGroup[] | undefined {
  if (name === undefined) return [];
  const match = findGroup(servedPendingGroups(context.paths), name);
  if (!match.ok) return undefined;
  const { id, members } = match.value;
  const keys = new Set(members.map(({ key }) => key));
  return keys.size === changes.length && changes.every(({ key }) => keys.has(key)) ? [{ id, changes }] : undefined;
}

function parsed(text: string): z.infer<typeof requestSchema> | undefined {
  try {
    return requestSchema.safeParse(JSON.parse(text)).data;
  } catch {
    // Invalid JSON isn't a request of the page either.
    return undefined;
  }
}

/** Returns the requested changes as they are pending now; undefined if one is gone, differs, or is outdated. */
function pendingOf(
  requested: z.infer<typeof requestSchema>["changes"],
  { paths }: UpdateContext,
): readonly PendingChange[] | undefined {
  const pending = new Map(readPending(paths.state).changes.map((change) => [change.key, change]));
  const matches = requested.map(({ key, before, after }) => {
    const change = pending.get(key);
    return change?.before === before && change.after === after ? change : undefined;
  });
  const changes = [...new Set(matches.filter((change) => change !== undefined))];
  // Before any file they name is read.
  if (matches.includes(undefined) || locationProblem(changes, paths) !== undefined) return undefined;
  return changes.some((change) => outdatedReason(resolve(paths.root, change.target), change) !== undefined)
    ? undefined
    : changes;
}

function shown([change]: readonly PendingChange[], { paths }: UpdateContext): PageResponse {
  if (change === undefined) return nothing(400, "refused", "The server doesn't know this request. Reload the page.");
  const before = change.before === null ? undefined : readText(resolve(paths.root, change.target));
  return { status: 200, body: { before: before ?? null, after: change.text ?? null } };
}

async function accepted(
  changes: readonly PendingChange[],
  context: UpdateContext,
  groups: readonly ChosenGroup[],
): Promise<PageResponse> {
  const { outcome, accepted: written, receipt, outdated, problems } = await acceptPending(changes, context, groups);
  const keys = written.map(({ key }) => key);
  const body = { keys, problems, receipt: receipt === undefined ? null : shortId(receipt) };
  if (outcome === "accepted" && keys.length === 0 && outdated.length > 0)
    return nothing(409, "outdated", "The pending changes differ from those on this page. Reload the page.");
  return { status: outcome === "accepted" ? 200 : 409, body: { ...body, outcome } };
}

function rejected(
  changes: readonly PendingChange[],
  context: UpdateContext,
  groups: readonly ChosenGroup[],
): PageResponse {
  const { rejected: dropped, receipt, problems } = rejectPending(changes, context, groups);
  if (problems.length > 0) return { status: 409, body: { outcome: "refused", keys: [], problems, receipt: null } };
  const keys = dropped.map(({ key }) => key);
  return {
    status: 200,
    body: { outcome: "rejected", keys, problems, receipt: receipt === undefined ? null : shortId(receipt) },
  };
}

function nothing(status: number, outcome: "refused" | "outdated", problem: string): PageResponse {
  return { status, body: { outcome, keys: [], problems: [problem], receipt: null } };
}
