import { expect, test } from "vitest";
import { triageStep } from "./steps.js";

test.each([
  ["late", "My lamp should have come on Monday. I need it now!"],
  ["double bill", "You billed me twice for order 7."],
])("%s", async (_name, letter) => {
  await expect(triageStep).toMatchBaseline({ input: { letter }, adapters: {} });
});
