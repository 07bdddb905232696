import * as fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { hashValueSync } from "../../kernel/json/hash.ts";
import { type AdapterCall, responsePath } from "../adapter-call.ts";
import { requestIdentity } from "../request-keys.ts";
import { CallIndex } from "./call-index.ts";
import { recordingRules } from "../recording-rules.ts";
import { runCount } from "../../../test-support/run-count.ts";

const rules = recordingRules({ redact: false });

// Few, so that equal ones are frequent; two hide other secrets, long ones differ at their end.
const LONG = "a long prompt ".repeat(100);
const hostile = fc.constantFrom<readonly unknown[]>(
  [{ b: 1, a: 2 }],
  [{ a: 2, b: 1 }],
  ["«redacted:field#1»"],
  ["«redacted:field#2»"],
  ["«redacted:field#1» «redacted:field#1»"],
  ["«redacted:field#1» «redacted:field#2»"],
  [`${LONG}1`],
  [`${LONG}2`],
  [`${LONG}«redacted:field#1»`],
  [`${LONG}«redacted:field#2»`],
);
const request = fc.oneof(fc.constantFrom<readonly unknown[]>([], ["a"]), hostile);
const adapter = fc.oneof(fc.constant("llm"), fc.constantFrom("", "llm.complete", "a.b"));

/**
 * Calls of which each has a response of its own; occurrences are in no order, and may repeat, as in a file that was
 * edited.
 */
const calls: fc.Arbitrary<readonly AdapterCall[]> = fc
  .array(
    fc.record({
      adapter,
      request,
      occurrence: fc.nat({ max: 5 }),
      returns: fc.constantFrom("promise" as const, "property" as const),
    }),
    { maxLength: 12 },
  )
  .map((list) => list.map((call, response) => ({ ...call, response })));

/** An index as plain as it can be: it looks through all calls each time. */
class PlainIndex {
  readonly #calls: readonly AdapterCall[];
  readonly #served = new Set<AdapterCall>();
  readonly #reads: string[] = [];

  constructor(all: readonly AdapterCall[]) {
    this.#calls = all.toSorted((a, b) => a.occurrence - b.occurrence);
  }

  take(path: string, asked: unknown): AdapterCall | undefined {
    const isAlike = (call: AdapterCall): boolean =>
      call.returns !== "property" && requestIdentity(call.adapter, call.request) === requestIdentity(path, asked);
    const isSame = (call: AdapterCall): boolean =>
      hashValueSync([call.adapter, call.request]) === hashValueSync([path, asked]);
    const left = this.#calls.filter((call) => isAlike(call) && !this.#served.has(call));
    const taken = left.find(isSame) ?? left[0];
    if (taken !== undefined) this.#served.add(taken);
    return taken;
  }

  read(path: string, asked: readonly string[]): AdapterCall | undefined {
    const hash = hashValueSync([path, asked]);
    const reads = this.#calls.filter(
      (call) => call.returns === "property" && hashValueSync([call.adapter, call.request]) === hash,
    );
    const before = this.#reads.filter((read) => read === hash).length;
    if (reads.length > 0) this.#reads.push(hash);
    return reads.findLast(({ occurrence }) => occurrence <= before) ?? reads[0];
  }
}

test("finds the same calls as a search by hash through all of them", () => {
  const use = fc.record({ kind: fc.constantFrom("take" as const, "read" as const), adapter, request });
  fc.assert(
    fc.property(calls, fc.array(use, { maxLength: 25 }), (all, uses) => {
      const index = new CallIndex(all, rules);
      const judge = new PlainIndex(all);
      for (const { kind, adapter: path, request: asked } of uses) {
        const texts = asked.map(String);
        const found = kind === "take" ? index.take(path, asked) : index.read(path, texts);
        const expected = kind === "take" ? judge.take(path, asked) : judge.read(path, texts);
        if (found !== undefined && "reason" in found) expect(expected).toBe(undefined);
        else expect(found).toBe(expected);
      }
    }),
    { numRuns: runCount(5000) },
  );
});

test("reports which adapters' responses were used, including nested ones", () => {
  const call: AdapterCall = {
    adapter: "llm.stream",
    occurrence: 0,
    returns: "promise-of-stream",
    request: ["a"],
    response: { chunks: [], done: true },
  };
  const use: AdapterCall = {
    adapter: `${responsePath(call)}.finalMessage`,
    occurrence: 0,
    returns: "promise",
    request: [],
    response: 1,
  };
  const further: AdapterCall = {
    adapter: `${responsePath(use)}.text`,
    occurrence: 0,
    returns: "value",
    request: [],
    response: 1,
  };
  const index = new CallIndex([call, { ...call, adapter: "llm.complete" }, use, further], rules);
  expect(
    ["llm.stream", use.adapter, "llm.complete", "llm", further.adapter].map((path) => index.paths.hasUses(path)),
  ).toStrictEqual([true, true, false, false, false]);
});

test("finds the keys of each chunk of a stream without a search through all paths", () => {
  const chunk = (at: number): AdapterCall => ({
    adapter: `llm.stream(9f31c2d8#0).${at}.text`,
    occurrence: 0,
    returns: "value",
    request: [],
    response: at,
  });
  const chunks = Array.from({ length: 100 }, (_, at) => at);
  const index = new CallIndex(chunks.map(chunk), rules);
  const searches = vi.spyOn(String.prototype, "startsWith");
  onTestFinished(() => searches.mockRestore());
  const keys = chunks.map((at) => index.paths.keysBelow(`llm.stream(9f31c2d8#0).${at}`));
  const count = searches.mock.calls.length;
  expect(keys).toStrictEqual(chunks.map(() => ["text"]));
  expect(index.paths.keysBelow("llm")).toStrictEqual([]);
  expect(index.paths.keysBelow("")).toStrictEqual(["llm"]);
  expect(count).toBeLessThanOrEqual(chunks.length);
});
