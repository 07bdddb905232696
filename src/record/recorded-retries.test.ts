import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { AdapterCall } from "./adapter-call.ts";
import { lastAttempts, withoutRetries } from "./recorded-retries.ts";

const call = (response: object, { path = "/a", occurrence = 0 } = {}): AdapterCall => ({
  adapter: "fetch",
  occurrence,
  returns: "promise",
  request: [{ method: "GET", origin: "http://a.test", path }],
  response: { status: 200, type: "basic", headers: {}, ...response },
});

test("removes a lost connection that was retried, and keeps the last failed attempt", () => {
  const { response: _response, ...lost } = call({});
  const failed: AdapterCall = { ...lost, error: { $t: "error", v: { name: "TypeError" } } };
  expect(withoutRetries([failed, call({})])).toHaveLength(1);
  expect(withoutRetries([failed, failed])).toHaveLength(2);
  expect(withoutRetries([call({ status: 429 }), call({}, { path: "/b" })])).toHaveLength(2);
  expect(withoutRetries([call({}), call({ status: 429 })])).toHaveLength(2);
  expect(withoutRetries([call({ status: 404 }), call({})])).toHaveLength(2);
});

test("keeps an attempt that the baseline has too, because its step reads the failure", () => {
  const attempts = [call({ status: 503 }), call({}, { occurrence: 1 })];
  expect(withoutRetries(attempts, attempts)).toHaveLength(2);
  expect(withoutRetries(attempts, [call({ status: 503 }, { path: "/b" })])).toHaveLength(1);
});

test("keeps a failed attempt next to an equal request that was sent in parallel", () => {
  const [failed, parallel] = [call({ status: 503 }), { ...call({}, { occurrence: 1 }), parallel: 1 }];
  expect(withoutRetries([failed, parallel])).toHaveLength(2);
  expect(withoutRetries([failed, call({}, { path: "/b" }), { ...parallel, parallel: 2 }])).toHaveLength(3);
  // Both were sent again after both had failed.
  const again = [
    { ...failed, parallel: 1 },
    call({}, { occurrence: 2 }),
    { ...call({}, { occurrence: 3 }), parallel: 1 },
  ];
  expect(withoutRetries([failed, ...again])).toHaveLength(2);
  // Sent again while another request was open.
  expect(withoutRetries([failed, call({}, { path: "/b" }), parallel])).toHaveLength(2);
});

test("compares each of two equal requests that were sent in parallel", () => {
  const kept = (parallel: number): readonly number[] => {
    const { response: _response, ...open } = call({});
    const error = { $t: "error", v: { name: "Error" } };
    const read = { ...call({}), adapter: "tools.limit", returns: "property" as const };
    const calls = [{ ...open, error }, read, { ...call({}), ...(parallel > 0 && { parallel }) }];
    return lastAttempts(attemptsOf(calls), calls).map(({ index }) => index);
  };
  expect([kept(0), kept(1)]).toStrictEqual([[2], [0, 2]]);
});

test("doesn't count a removed attempt as a parallel call", () => {
  const [before, other] = [call({}, { path: "/before" }), call({}, { path: "/b" })];
  const failed = call({ status: 503 });
  const retried = call({}, { occurrence: 1 });
  const kept = (parallel: number): unknown =>
    withoutRetries([before, failed, { ...other, parallel }, retried]).map((made) => made.parallel);
  expect([kept(1), kept(2)]).toStrictEqual([
    [undefined, undefined, undefined],
    [undefined, 1, undefined],
  ]);
});

test("compares only the last attempt of consecutive equal requests", () => {
  const calls = [call({ status: 503 }), call({}), call({ status: 503 }), call({}, { path: "/b" }), call({})];
  const attempts = calls.map((each, index) => ({ call: each, index, identity: JSON.stringify(each.request) }));
  expect(lastAttempts(attempts, calls).map(({ index }) => index)).toStrictEqual([1, 2, 3, 4]);
});

const KINDS = ["read a", "read b", "write a", "write b", "property"] as const;

/** Calls of a run: each fails or succeeds. Reads of properties are between them. */
const runs = fc.array(fc.record({ kind: fc.constantFrom(...KINDS), fails: fc.boolean() }), { maxLength: 12 });

function callsOf(run: readonly { readonly kind: (typeof KINDS)[number]; readonly fails: boolean }[]): AdapterCall[] {
  return run.map(({ kind, fails }, occurrence) => ({
    adapter: kind.startsWith("write") ? "tools.pay" : "tools.test",
    occurrence,
    returns: kind === "property" ? "property" : "promise",
    request: [kind.at(-1)],
    ...(fails && kind !== "property" ? { error: { $t: "error", v: { name: "Error" } } } : { response: "done" }),
  }));
}

function attemptsOf(calls: readonly AdapterCall[]) {
  return calls
    .map((each, index) => ({ call: each, index, identity: `${each.adapter} ${JSON.stringify(each.request)}` }))
    .filter(({ call: { returns } }) => returns !== "property");
}

/**
 * The rule, read from the front: a failed call doesn't count if the next call of the run is the same request to the same
 * adapter, whether that one fails or not. Every other call counts.
 */
function counted(calls: readonly AdapterCall[]): number[] {
  const attempts = attemptsOf(calls);
  return attempts.flatMap((attempt, at) => {
    const isRetried = "error" in attempt.call && attempts[at + 1]?.identity === attempt.identity;
    return isRetried ? [] : [attempt.index];
  });
}

test("counts only calls that aren't retried directly, in random reads and writes", () => {
  fc.assert(
    fc.property(runs, (run) => {
      const calls = callsOf(run);
      expect(lastAttempts(attemptsOf(calls), calls).map(({ index }) => index)).toStrictEqual(counted(calls));
    }),
  );
});

test("always counts a successful call, and each attempt with another call in between", () => {
  fc.assert(
    fc.property(runs, (run) => {
      const calls = callsOf(run);
      const kept = new Set(lastAttempts(attemptsOf(calls), calls).map(({ index }) => index));
      const succeeded = attemptsOf(calls).filter(({ call: { error } }) => error === undefined);
      expect(succeeded.every(({ index }) => kept.has(index))).toBe(true);
      const [other = call({})] = callsOf([{ kind: "write b", fails: false }]);
      const apart = calls.flatMap((each) => [each, { ...other, adapter: "tools.other" }]);
      expect(lastAttempts(attemptsOf(apart), apart)).toHaveLength(attemptsOf(apart).length);
    }),
  );
});
