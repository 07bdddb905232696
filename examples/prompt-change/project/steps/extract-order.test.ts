import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { llm } from "../llm.ts";
import { extractOrder } from "./extract-order.ts";

test.each(readdirSync("fixtures").toSorted())("%s", async (file) => {
  const letter = readFileSync(`fixtures/${file}`, "utf8");
  await expect(extractOrder).toMatchBaseline({ input: { letter }, adapters: { llm }, name: file });
});
