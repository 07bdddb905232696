import { expect, test } from "vitest";
import { readOrder } from "./read-order.ts";

test.each([
  ["one line", "1 x table"],
  ["several lines", "4 x chair\n1 x table\n2 x lamp"],
])("%s", async (name, message) => {
  await expect(readOrder).toMatchBaseline({ input: { message }, name });
});
