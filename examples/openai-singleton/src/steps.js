const { defineStep } = require("veritest");
const { z } = require("zod");
const { readOrder } = require("./read-order.js");

const orderStep = defineStep({
  name: "read-order",
  input: z.object({ letter: z.string() }),
  output: z.object({ lines: z.array(z.object({ item: z.string(), quantity: z.number() })), pieces: z.number() }),
  keyBy: { lines: "item" },
  run: async ({ letter }) => ({ output: await readOrder(letter) }),
});

module.exports = { orderStep };
