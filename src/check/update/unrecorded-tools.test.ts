import { expect, test } from "vitest";
import { hasUnrecordedTools } from "./unrecorded-tools.ts";

const RESULT = '      "role": "tool"\n';

test.each([
  ["results of tools, and only calls of models", `${RESULT}      "adapter": "fetch"\n`, true],
  ["results of tools, and recorded tools", `${RESULT}      "adapter": "fetch"\n      "adapter": "tools.pay"\n`, false],
  ["an input with results of tools, and no calls", RESULT, false],
  ["calls of models without results of tools", '      "adapter": "fetch"\n', false],
])("a baseline with %s", (_, text, expected) => {
  expect(hasUnrecordedTools(text)).toBe(expected);
});
