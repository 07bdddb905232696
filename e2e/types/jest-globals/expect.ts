import "veritest/jest";

export { expect } from "@jest/globals";
