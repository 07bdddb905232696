// What only checks need whose calls differ, or whose step declares roles: one module, so that the bundler makes one
// file that most runs never load.
export { diffCalls } from "./diff-calls.ts";
export { roleJudge } from "./role.ts";
