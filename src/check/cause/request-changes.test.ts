import { expect, test } from "vitest";
import { sortRequestChanges } from "./request-changes.ts";

test.each([
  ["https://a.test/orders?id=7", "https://b.test/orders?id=7", "environment"],
  ["http://localhost:3000/orders", "https://shop.test/orders", "environment"],
  ["redis://cache-1:6379/0", "redis://cache-2:6379/0", "environment"],
  ["postgres://db-1/shop", "postgres://db-2:5433/shop", "environment"],
  ["redis://cache-1:6379/0", "redis://cache-1:6379/1", "code"],
  ["https://a.test/orders?id=7", "https://b.test/orders?id=8", "code"],
  ["http://127.0.0.1:3000", "https://[::1]:3000", "environment"],
  ["Summarize: the invoice", "Translate: the invoice", "code"],
  ["status:open", "label:open", "code"],
  ["user:7", "admin:7", "code"],
  ["mailto:ada@a.test", "tel:ada@a.test", "code"],
  ["urn:order:7", "isbn:order:7", "code"],
  ["file:///orders", "data:///orders", "code"],
  ["https://a.test/orders of ada", "https://b.test/orders of ada", "code"],
  ["https://a.test\n", "https://b.test\n", "code"],
] as const)("from %s to %s is a change of the %s", (before, after, part) => {
  const entry = { kind: "changed", path: ["request", 0], before, after } as const;
  const call = { adapter: "db.find", occurrence: 0, request: [after], returns: "value", response: 1 } as const;
  const change = { kind: "changed", adapter: "db.find", entries: [entry], call } as const;
  const sorted = sortRequestChanges([change], { recorded: [], roleOf: () => "read" });
  expect(sorted[part].map(({ entries }) => entries)).toStrictEqual([[entry]]);
});
