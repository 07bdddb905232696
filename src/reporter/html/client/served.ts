import type { ServedPage, WaitingChange } from "../page-data.ts";

/** What became of what the page asked for, and the sentences that say why. */
export type Settled = { outcome: string; problems: string[]; receipt: string | null };

/** The whole texts of a change; null where there is no file. */
export type WholeTexts = { before: string | null; after: string | null };

/** How a served page settles what waits, and what it settled so far. */
export type Server = {
  /** The change that waits for a baseline; undefined where none does, or where two tests differ on it. */
  changeOf: (baseline: string) => WaitingChange | undefined;
  /** What waited of a kind of change when the page was served, the example first. */
  changesOf: (group: string) => readonly WaitingChange[];
  /** What this page made of a change; undefined while it waits. */
  settledAs: (change: WaitingChange) => string | undefined;
  show: (change: WaitingChange) => Promise<WholeTexts | Settled>;
  /** `group`: the kind that all of the changes are, where one of them was looked at; null for changes by themselves. */
  settle: (
    act: "accept" | "reject",
    changes: readonly WaitingChange[],
    why: { reason: string; group: string | null },
  ) => Promise<Settled>;
  asksReason: boolean;
};

/** The server that this page came from. */
export function serverOf({ token, waiting, groups, asksReason }: ServedPage): Server {
  const byTarget = Map.groupBy(waiting, ({ target }) => target);
  const byKey = new Map(waiting.map((change) => [change.key, change]));
  const byGroup = new Map(groups.map(({ id, keys }) => [id, keys]));
  const settled: Map<string, string> = new Map();
  const ask = async (act: string, body: object) => {
    try {
      const answer = await fetch(act, {
        method: "POST",
        headers: { "content-type": "application/json", "x-veritest-token": token },
        body: JSON.stringify(body),
        cache: "no-store",
      });
      return toRecord(await answer.json());
    } catch {
      return { problems: ["The server does not answer: it ended, or what it says is lost. Look: veritest log"] };
    }
  };
  return {
    asksReason,
    changeOf: (baseline) => {
      const [change, rival] = byTarget.get(baseline) ?? [];
      return rival === undefined ? change : undefined;
    },
    changesOf: (group) =>
      (byGroup.get(group) ?? []).flatMap((key) => {
        const change = byKey.get(key);
        return change === undefined ? [] : [change];
      }),
    settledAs: ({ key }) => settled.get(key),
    show: async (change) => {
      const answer = await ask("show", { changes: [hashesOf(change)] });
      const [before, after] = [answer["before"], answer["after"]];
      return isText(before) && isText(after) ? { before, after } : settledOf(answer);
    },
    settle: async (act, changes, { reason, group }) => {
      const chosen = group === null ? {} : { group };
      const answer = settledOf(await ask(act, { changes: changes.map(hashesOf), reason, ...chosen }));
      if (answer.outcome === "accepted" || answer.outcome === "rejected")
        for (const { key } of changes) settled.set(key, answer.outcome);
      return answer;
    },
  };
}

function hashesOf({ key, before, after }: WaitingChange) {
  return { key, before, after };
}

function settledOf(answer: Readonly<Record<string, unknown>>): Settled {
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
