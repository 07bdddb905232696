// What only tests of laws need, and fast-check with it: most projects have neither.
export { toHoldLaws } from "./to-hold-laws.ts";
export { toSurviveFaults } from "./to-survive-faults.ts";
