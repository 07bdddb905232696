export { toBeGroundedIn } from "../checks/to-be-grounded-in.ts";
export { toCite } from "../checks/to-cite.ts";
export { recordedJudge } from "./recorded-judge.ts";
export { toCover } from "../checks/to-cover.ts";
