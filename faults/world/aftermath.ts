import { messageOf } from "../../src/kernel/error-message.ts";
import { readReceipts } from "../../src/updates/receipts/receipts.ts";
import { type CommitResult, commitUpdates } from "../../src/updates/commit/commit-updates.ts";
import { recover } from "../../src/updates/commit/recover.ts";
import { bury } from "./bury.ts";
import { age, litterIn, outcomeOf } from "./examine.ts";
import type { Trial } from "./tally.ts";
import { type World, contextOf, proposalOf, worldOf } from "./world.ts";

/** What a program answered; undefined when it was killed before it could. */
export type Answer = CommitResult["kind"] | undefined;

/**
 * What a user meets after a fault: the next process recovers, the baselines are all old or all new as the answer said,
 * another commit works, nothing is left, and there is exactly one receipt for each set of baselines that was written.
 */
export function aftermath(name: string, context: World, answer: Answer): Trial {
  return aftermathOf(name, context, { answer, receipts: 0 });
}

/** The same where so many receipts were there before. */
export function aftermathOf(
  name: string,
  context: World,
  { answer, receipts }: { readonly answer: Answer; readonly receipts: number },
): Trial {
  const wrong: string[] = [];
  bury(context.places);
  age(context);
  const recovery = guarded(() => recover(context.places));
  if (typeof recovery === "string") wrong.push(`recover: ${recovery}`);
  else wrong.push(...recovery.stuck);
  const outcome = outcomeOf(context);
  if (answer === "committed" && outcome !== "new") wrong.push(`said committed, is ${outcome}`);
  if (answer === "refused" && outcome !== "old") wrong.push(`said refused, is ${outcome}`);
  const next = goOn(context);
  wrong.push(...next.wrong);
  wrong.push(...receiptProblems(context, receipts + (outcome === "new" ? 2 : 1)));
  return { name, outcome, litter: litterIn(next.world), wrong };
}

/** Makes one more commit, as the next run would: the world with that commit, and what did not work. */
export function goOn(context: World): { readonly world: World; readonly wrong: string[] } {
  const update = proposalOf(context.project, "afterwards", { before: undefined, after: "well" });
  const end = commitUpdates([update], contextOf(context));
  const after = worldOf(context.project, context.places, [...context.proposals, update]);
  return {
    world: after,
    wrong:
      end.kind === "committed" && end.problem === undefined ? [] : [`the next commit: ${end.kind}, ${end.problem}`],
  };
}

function receiptProblems({ places: paths }: World, due: number): string[] {
  const { values: receipts, problems } = readReceipts(paths.notes);
  return receipts.length === due ? [...problems] : [...problems, `${receipts.length} receipts instead of ${due}`];
}

function guarded<T>(work: () => T): T | string {
  try {
    return work();
  } catch (thrown) {
    return messageOf(thrown);
  }
}
