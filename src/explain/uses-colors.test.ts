import { expect, test } from "vitest";
import { usesColors } from "./uses-colors.ts";

test.each<[boolean, NodeJS.ProcessEnv, boolean]>([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: "1" }, false],
  [true, { NO_COLOR: "" }, true],
  [false, { FORCE_COLOR: "1" }, true],
  [false, { FORCE_COLOR: "" }, true],
  [true, { FORCE_COLOR: "0" }, false],
  [true, { FORCE_COLOR: "false" }, false],
  [false, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
])("on a terminal: %s, with %o, colours are used: %s", (isTTY, environment, wanted) => {
  expect(usesColors(isTTY, environment)).toBe(wanted);
});
