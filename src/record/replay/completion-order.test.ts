import { setImmediate, setTimeout as sleep } from "node:timers/promises";
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

test("a response waits for a call whose timer is late because the machine is busy", async () => {
  const order = new CompletionOrder();
  const turns: string[] = [];
  const second = async (): Promise<void> => {
    await order.turn(1);
    turns.push("second");
  };
  const first = async (): Promise<void> => {
    await sleep(5);
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
    await order.turn(0);
    turns.push("first");
  };
  const both = Promise.all([second(), first()]);
  const end = performance.now() + 200;
  while (performance.now() < end) Math.sqrt(end);
  await both;
  expect(turns).toStrictEqual(["first", "second"]);
});
