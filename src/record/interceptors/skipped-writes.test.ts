import { expect, test } from "vitest";
import type { AdapterCall } from "../adapter-call.ts";
import { SkippedWrites } from "./skipped-writes.ts";

type Recorded = Partial<AdapterCall> & Pick<AdapterCall, "request" | "response">;
const recorded = (call: Recorded): AdapterCall => ({
  adapter: "tools.send",
  occurrence: 0,
  returns: "promise",
  ...call,
});
const post = (to: string): object => ({ method: "POST", origin: "https://mail.example", path: "/send", body: { to } });
const send =
  (writes: SkippedWrites, adapter = "tools.send") =>
  (...args: readonly unknown[]): unknown =>
    writes.intercept({ adapter, args, facts: { name: "send", role: "write" } })?.();

test.each([
  "tools.send",
  "fetch",
])("a repeated write of %s gets the last response of its own request", async (adapter) => {
  const [ann, bob] = [post("ann"), post("bob")];
  const writes = new SkippedWrites([
    recorded({ adapter, request: [ann], response: 1 }),
    recorded({ adapter, request: [bob], response: 2 }),
    recorded({ adapter, request: [ann], response: 3, occurrence: 1 }),
  ]);
  const call = send(writes, adapter);
  expect([await call(ann), await call(ann), await call(ann), await call(bob)]).toStrictEqual([1, 3, 3, 2]);
  expect(writes.unanswered).toStrictEqual([]);
});

test("a repeated write gets the last response of the request with its own secret", async () => {
  const [first, second] = ["«redacted:field#1»", "«redacted:field#2»"];
  const writes = new SkippedWrites([
    recorded({ request: [first], response: 1 }),
    recorded({ request: [second], response: 2, occurrence: 1 }),
  ]);
  const call = send(writes);
  expect([await call(first), await call(second), await call(first)]).toStrictEqual([1, 2, 1]);
});

test("a repeated write with only the hash of its response gets an error", async () => {
  const call = recorded({ request: ["ann"], response: `«sha256:${"0".repeat(64)}»` });
  const writes = new SkippedWrites([call, recorded({ request: ["bob"], response: 2 })]);
  const made = send(writes);
  expect(() => made("ann")).toThrow(`Tests don't run the write adapter "tools.send", and it has no stub. `);
  expect(() => made("ann")).toThrow(`Tests don't run the write adapter "tools.send", and it has no stub. `);
});

test("parallel repeated writes are answered, also if responses were recorded in another order than calls", async () => {
  const writes = new SkippedWrites([
    recorded({ adapter: "llm.ask", request: ["q"], response: "a", completed: 0 }),
    recorded({ request: ["ann"], response: 1, completed: 2 }),
    recorded({ request: ["bob"], response: 2, completed: 1 }),
  ]);
  const call = send(writes);
  expect(await Promise.all([call("ann"), call("ann"), call("bob"), call("ann")])).toStrictEqual([1, 1, 2, 1]);
});
