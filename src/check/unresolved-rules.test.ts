import { expect, test } from "vitest";
import { unresolvedRules } from "./unresolved-rules.ts";

const items = {
  items: [
    { id: 1, lines: [] },
    { id: 2, note: "n" },
  ],
  open: {},
};

test.each([
  ["items", true],
  ["items.note", true],
  ["items.lines.sku", true],
  ["items.*.id", true],
  ["*.note", true],
  ["itmes", false],
  ["items.nothing", false],
  ["open.id", false],
  ["toString", false],
])("the path %j leads somewhere: %s", (path, leads) => {
  const rule = { label: "any", tolerates: () => true };
  expect(unresolvedRules({ keyBy: { [path]: "id" }, compare: {} }, [undefined, items])).toStrictEqual(
    leads ? {} : { unresolved: [`keyBy "${path}"`] },
  );
  expect(unresolvedRules({ keyBy: {}, compare: { [path]: rule } }, [items])).toStrictEqual(
    leads ? {} : { unresolved: [`compare "${path}"`] },
  );
});
