import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { OLDEST_NODE, unsupportedNodeMessage } from "./require-node.ts";

test.each([
  ["20.20.2", "veritest needs Node 22.12 or newer; this is 20.20.2."],
  ["22.11.0", "veritest needs Node 22.12 or newer; this is 22.11.0."],
  ["22.12.0", undefined],
  ["22.9.0", "veritest needs Node 22.12 or newer; this is 22.9.0."],
  ["23.0.0", undefined],
  ["100.1.0", undefined],
  [process.versions.node, undefined],
])("Node %s", (version, said) => {
  expect(unsupportedNodeMessage(version)).toBe(said);
});

test("the oldest Node is the one in package.json", () => {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  expect(manifest).toContain(`"node": ">=${OLDEST_NODE}"`);
});
