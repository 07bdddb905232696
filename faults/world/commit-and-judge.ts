import { commitUpdates } from "../../src/updates/commit/commit-updates.ts";
import { goOn } from "./aftermath.ts";
import { age, litterIn, outcomeOf } from "./examine.ts";
import type { Tally } from "./tally.ts";
import { type World, contextOf } from "./world.ts";

/** What a commit must come to. */
export interface Expectation {
  readonly kind: "committed" | "refused";
  /** Part of the sentence a refusal must say. */
  readonly says?: string;
  /** Files and directories that are there on purpose, relative to the project. */
  readonly planted?: readonly string[];
  /** False where the world stays so that no other commit can be made either. */
  readonly goesOn?: boolean;
  /** What must hold beside that: a phrase where it does not. */
  readonly also?: () => string | undefined;
}

/** Commits a world as it is and compares what came of it with what must. */
export function commitAndJudge(
  tally: Tally,
  name: string,
  { world: context, expect }: { readonly world: World; readonly expect: Expectation },
): void {
  const { kind, says = "", planted = [], goesOn = true, also } = expect;
  const end = commitUpdates(context.proposals, contextOf(context));
  const wrong = end.kind === kind ? [] : [`${end.kind} instead of ${kind}: ${end.problem}`];
  if (end.kind !== "committed" && !end.problem.includes(says)) wrong.push(`says: ${end.problem}`);
  const outcome = outcomeOf(context);
  if ((outcome === "new") !== (end.kind === "committed")) wrong.push(`said ${end.kind}, is ${outcome}`);
  const broken = also?.();
  if (broken !== undefined) wrong.push(broken);
  age(context);
  const next = goesOn ? goOn(context) : { world: context, wrong: [] };
  const litter = litterIn(next.world).filter(
    (left) => !planted.some((path) => left === path || left.startsWith(`${path}/`)),
  );
  tally.add({ name, outcome, litter, wrong: [...wrong, ...next.wrong] });
}
