/**
 * Number of inputs that a property generates: `full` in `npm run test:deep`, in CI and in `npm run explore`, and at most
 * 100 in `npm test`, which is for the minutes between two edits.
 */
export function runCount(full: number): number {
  return process.env["DEEP_TESTS"] === "1" ? full : Math.min(full, 100);
}
