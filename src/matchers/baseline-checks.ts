export { toMatchBaseline } from "./to-match-baseline.ts";
export { toRecomputeClean } from "./to-recompute-clean.ts";
export { toReplay } from "./to-replay.ts";
