import type { ReportChange } from "../../../explain/report-case.ts";

/** What a page of a case has drawn so far: a difference that several findings tell of is drawn once. */
export type Drawn = Set<string>;

/** The differences that are not drawn yet, which they are from now on. */
export function undrawn(changes: readonly ReportChange[], drawn: Drawn) {
  const fresh = changes.filter((change) => !drawn.has(keyOf(change)));
  for (const change of fresh) drawn.add(keyOf(change));
  return fresh;
}

/** What makes two differences the same. Evidence names the part in its path, and may write an index otherwise. */
function keyOf({ part, path, before, after }: ReportChange) {
  const place = (part === "output" ? path : `${part}.${path}`).replaceAll(/[.[\]]+/g, ".").replace(/\.$/, "");
  return JSON.stringify([place, before === undefined ? [] : [before], after === undefined ? [] : [after]]);
}

/** Differences of the same values at several places, told as one: the first of each, with the paths of all. */
export function byValues(changes: readonly ReportChange[]) {
  const cards = Map.groupBy(changes, ({ before, after, cut, call }) =>
    JSON.stringify([before === undefined ? [] : [before], after === undefined ? [] : [after], cut, call ?? null]),
  );
  return [...cards.values()].flatMap(([change, ...rest]) =>
    change === undefined ? [] : [{ change, paths: [change.path, ...rest.map(({ path }) => path)] }],
  );
}
