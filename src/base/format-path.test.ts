import { expect, test } from "vitest";
import { formatPath } from "./format-path.ts";

test.each([
  [[], "(root)"],
  [["user", "name"], "user.name"],
  [[1], "[1]"],
  [["lines", 0, "sku"], "lines[0].sku"],
  [[0, "a", 1, 2], "[0].a[1][2]"],
  [["a-b_c$", "1", "größe"], "a-b_c$.1.größe"],
  [["a b", "c"], '["a b"].c'],
  [["a", "b.c"], 'a["b.c"]'],
  [["a", ""], 'a[""]'],
  [["", "a"], '[""].a'],
  [["a", 'q"]', "\u001b[31m", "\u202e"], 'a["q\\"]"]["\\u001b[31m"]["\\u202e"]'],
  [["(root)"], '["(root)"]'],
])("writes %j as %s", (path, expected) => {
  expect(formatPath(path)).toBe(expected);
});
