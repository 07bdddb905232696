import { expect, test } from "vitest";
import { chooseDesk } from "./choose-desk.ts";

test.each([
  ["an order by form", "1 x table"],
  ["a question", "Are you open on Sunday?"],
])("%s", async (name, message) => {
  await expect(chooseDesk).toMatchBaseline({ input: { message }, name });
});
