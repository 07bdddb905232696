import "./jest-types.ts";

export type { BaselineMatchers } from "./matcher-types.ts";
