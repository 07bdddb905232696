import { expect, test } from "vitest";
import { supportStep } from "./steps.ts";

test("a broken lamp", async () => {
  await expect(supportStep).toMatchBaseline({ input: { letter: "The lamp of order 7 came broken." }, adapters: {} });
});

test("an unknown order", async () => {
  await expect(supportStep).toMatchBaseline({
    input: { letter: "I want my money back for order 9." },
    adapters: {},
    assert: (recording) => expect(recording).not.toCall("tools.refund"),
  });
});
