import type { ServedPage, ServedChange } from "../page-data.ts";
import { counted } from "../../../explain/wording.ts";
import { sendUnlessUndone } from "./undo.ts";

/** Result of a request of the page, with the sentences that explain it. `undone` if the user took it back. */
export type UpdateReply = { outcome: string; problems: string[]; receipt: string | null };

/** Complete texts of a change. Null if there is no file. */
export type ChangeTexts = { before: string | null; after: string | null };

/** Connection of a served page: applies decisions on pending changes, and remembers them. */
export type Server = {
  /** Pending change of a baseline. Undefined if there is none, or if two tests disagree on it. */
  changeOf: (baseline: string) => ServedChange | undefined;
  /** Changes of a kind that were pending when the page was served, the example first. */
  changesOf: (group: string) => readonly ServedChange[];
  /** Decision of this page on a change, also one that isn't sent yet. Undefined while it's pending. */
  updateStateOf: (change: ServedChange) => string | undefined;
  show: (change: ServedChange) => Promise<ChangeTexts | UpdateReply>;
  /** `group`: the kind of all the changes, if the user saw one of them. Null for single changes. */
  applyDecision: (
    act: "accept" | "reject",
    changes: readonly ServedChange[],
    why: { reason: string; group: string | null },
  ) => Promise<UpdateReply>;
  requiresReason: boolean;
  /** True if a newer run exists: then the page neither accepts nor rejects. */
  isOutdated: boolean;
};

/** Browsers refuse larger requests that outlive their page. */
const MAX_KEPT_ALIVE = 60_000;

/** Server of this page. */
export function serverOf({ token, pending, groups, requiresReason, newerRun }: ServedPage): Server {
  const isOutdated = newerRun !== null;
  const byTarget = Map.groupBy(pending, ({ target }) => target);
  const byKey = new Map(pending.map((change) => [change.key, change]));
  const byGroup = new Map(groups.map(({ id, keys }) => [id, keys]));
  const applied: Map<string, string> = new Map();
  const send = async (act: string, body: object) => {
    try {
      const answer = await fetch(act, {
        method: "POST",
        headers: { "content-type": "application/json", "x-veritest-token": token },
        body: JSON.stringify(body),
        cache: "no-store",
        // A decision also arrives if the page is left.
        keepalive: act !== "show" && JSON.stringify(body).length < MAX_KEPT_ALIVE,
      });
      return toRecord(await answer.json());
    } catch {
      return { problems: ["The server doesn't respond. It may have ended. See what was applied: npx veritest log"] };
    }
  };
  return {
    requiresReason,
    isOutdated,
    changeOf: (baseline) => {
      if (isOutdated) return undefined;
      const [change, rival] = byTarget.get(baseline) ?? [];
      return rival === undefined ? change : undefined;
    },
    changesOf: (group) =>
      (byGroup.get(group) ?? []).flatMap((key) => {
        const change = byKey.get(key);
        return change === undefined ? [] : [change];
      }),
    updateStateOf: ({ key }) => applied.get(key),
    show: async (change) => {
      const answer = await send("show", { changes: [hashesOf(change)] });
      const [before, after] = [answer["before"], answer["after"]];
      return isText(before) && isText(after) ? { before, after } : updateReplyOf(answer);
    },
    applyDecision: async (act, changes, { reason, group }) => {
      const chosen = group === null ? {} : { group };
      const done = act === "accept" ? "accepted" : "rejected";
      for (const { key } of changes) applied.set(key, act === "accept" ? "accepting" : "rejecting");
      const answer = await sendUnlessUndone(`${counted(changes.length, "change")} ${done}`, async () =>
        updateReplyOf(await send(act, { changes: changes.map(hashesOf), reason, ...chosen })),
      );
      for (const { key } of changes)
        if (answer?.outcome === done) applied.set(key, done);
        else applied.delete(key);
      return answer ?? { outcome: "undone", problems: [], receipt: null };
    },
  };
}

function hashesOf({ key, before, after }: ServedChange) {
  return { key, before, after };
}

function updateReplyOf(answer: Readonly<Record<string, unknown>>): UpdateReply {
  const { outcome, problems, receipt } = answer;
  return {
    outcome: typeof outcome === "string" ? outcome : "refused",
    problems: Array.isArray(problems) ? problems.filter((problem) => typeof problem === "string") : [],
    receipt: typeof receipt === "string" ? receipt : null,
  };
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function isText(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}
