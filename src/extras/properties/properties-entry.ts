// What only tests of laws need, and fast-check with it: most projects have neither.
export { toSatisfyProperties } from "./to-satisfy-properties.ts";
export { toSurviveFaults } from "./to-survive-faults.ts";
