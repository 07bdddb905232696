import { age } from "./age.ts";
import { printable } from "../../base/cells.ts";
import { testOf, whyPending } from "./origin-words.ts";
import type { ReviewItem } from "./review-item.ts";

/**
 * A review for where nobody can press keys: each change with its diff, and the commands that settle it. Safe to print.
 */
export function printedReview(
  items: readonly ReviewItem[],
  { from, now }: { readonly from: string | undefined; readonly now: number },
): string[] {
  return items.flatMap((item, index) => [...(index === 0 ? [] : [""]), ...printedItem(item, { from, now })]);
}

function printedItem(
  { change, cause, diff }: ReviewItem,
  { from, now }: { readonly from: string | undefined; readonly now: number },
): string[] {
  const { key, kind, verdict, target, group, at } = change;
  const commands =
    from === undefined
      ? [`accept  npx veritest accept ${key}`, `reject  npx veritest reject ${key}`]
      : [`accept  npx veritest accept ${key} --from ${printable(from)}`];
  return [
    `${printable(target)}  ${verdict} (${kind})  ${printable(group)}`,
    `  ${printable(testOf(change))}: ${whyPending(change)}, ${printable(age(at, now))}`,
    ...(cause === undefined ? [] : [`  ${cause}`]),
    ...diff.map(({ text }) => text),
    ...commands.map((command) => `  ${command}`),
  ];
}
