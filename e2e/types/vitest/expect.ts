import "veritest/vitest";

export { expect } from "vitest";
