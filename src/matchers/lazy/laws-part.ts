// What only tests of laws need, and fast-check with it: most projects have neither.
export { toHoldLaws } from "../../extras/properties/to-hold-laws.ts";
export { toSurviveFaults } from "../../extras/properties/to-survive-faults.ts";
