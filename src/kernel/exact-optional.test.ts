import { expect, test } from "vitest";
import { z } from "zod/v4";
import { exactOptional } from "./exact-optional.ts";

test.each([
  ["zod", z.string(), false],
  // As zod 3.25 to 4.2, which have no schema of that kind.
  ["an older zod", Object.defineProperty(z.string(), "exactOptional", { value: undefined }), true],
])("lets %s accept a missing key, and undefined if it can't refuse it", (_what, schema, acceptsUndefined) => {
  const object = z.strictObject({ name: exactOptional(schema) });
  const accepts = (value: object): boolean => object.safeParse(value).success;
  expect([{}, { name: "a" }, { name: 1 }].map(accepts)).toStrictEqual([true, true, false]);
  expect(accepts({ name: undefined })).toBe(acceptsUndefined);
});
