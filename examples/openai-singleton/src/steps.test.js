const { orderStep } = require("./steps.js");

test("two articles", async () => {
  const input = { letter: "Please send 2 lamps and a dozen candles." };
  await expect(orderStep).toMatchBaseline({ input, adapters: {} });
});

test("no regressions", async () => {
  await expect(orderStep).toRecomputeClean({ adapters: {} });
});
