import { expect, test } from "vitest";
import { CompletionOrder } from "./completion-order.ts";

test("each response with the same number gets its turn, before those of later numbers", async () => {
  const order = new CompletionOrder();
  const turns: string[] = [];
  const turn = async (number: number, name: string): Promise<void> => {
    await order.turn(number);
    turns.push(name);
  };
  await Promise.all([turn(1, "second"), turn(1, "second again"), turn(0, "first")]);
  expect(turns).toStrictEqual(["first", "second", "second again"]);
});
