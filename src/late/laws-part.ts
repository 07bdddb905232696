// What only tests of laws need, and fast-check with it: most projects have neither.
export { toHoldLaws } from "../laws/to-hold-laws.ts";
export { toSurviveFaults } from "../laws/to-survive-faults.ts";
