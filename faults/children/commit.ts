/** Commits one set of updates in a process of its own, when the clock says so, and prints what came of it. */
import { commitUpdates } from "../../src/updates/commit/commit-updates.ts";
import { isCommitOrder, updatesOf } from "../world/commit-order.ts";
import { contextOf, worldAt } from "../world/world.ts";

const order: unknown = JSON.parse(process.argv[2] ?? "null");
if (!isCommitOrder(order)) throw new TypeError("The first argument must be the order, as JSON.");
const { places: paths } = worldAt(order.project, order.state);
while (Date.now() < order.at);
const end = commitUpdates(updatesOf(order), contextOf({ places: paths }, 20_000));
process.stdout.write(JSON.stringify({ kind: end.kind, problem: end.problem }));
