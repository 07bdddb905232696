import "./matchers/jest-types.ts";

export type { BaselineMatchers } from "./matchers/types.ts";
