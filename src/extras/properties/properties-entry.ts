// Modules that only tests of properties need, and fast-check with them: most projects have neither.
export { toSatisfyProperties } from "./to-satisfy-properties.ts";
export { toSurviveFaults } from "./faults/to-survive-faults.ts";
