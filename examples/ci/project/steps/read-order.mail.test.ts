import { expect, test } from "vitest";
import { readOrder } from "./read-order.ts";

test.each([
  ["two articles", "Good morning, 2 x lamp and 1 x shelf, please."],
  ["in a hurry", "12 x candle, and we need them today!"],
  ["no order", "Are you open on Sunday?"],
])("%s", async (name, message) => {
  await expect(readOrder).toMatchBaseline({ input: { message }, name });
});
