import { expect, test } from "vitest";
import { chooseDesk } from "./choose-desk.ts";

test.each([
  ["an order by mail", "Good morning, 2 x lamp, please."],
  ["a complaint", "The lamp came broken."],
])("%s", async (name, message) => {
  await expect(chooseDesk).toMatchBaseline({ input: { message }, name });
});
