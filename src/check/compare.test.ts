import { afterEach, expect, test, vi } from "vitest";
import { within } from "../kernel/diff/tolerances.ts";
import { compareValues } from "./compare.ts";

afterEach(() => vi.unstubAllEnvs());

const before = { mean: 0.4, parts: [{ weight: 0.2 }] };
const near = { mean: 0.4 + 1e-10, parts: [{ weight: 0.2 - 1e-10 }] };

test("applies the project's tolerance to every number, after the rules of the step", () => {
  expect(compareValues(before, near, { keyBy: {}, compare: {} }).diff.entries).toHaveLength(2);
  vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ tolerance: 1e-9 }));
  const { diff, tolerated } = compareValues(before, near, { keyBy: {}, compare: { mean: within(1e-3) } });
  expect([diff.equal, tolerated.map(({ rule, label }) => `${rule}: ${label}`)]).toStrictEqual([
    true,
    ["mean: within 0.001", "**: within 1e-9"],
  ]);
});

test("the project's tolerance accepts near values only, and a rule for ** replaces it", () => {
  vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ tolerance: 1e-9 }));
  const far = { mean: 0.5, parts: [{ weight: 0.2 }] };
  expect(compareValues(before, far, { keyBy: {}, compare: {} }).diff.entries).toHaveLength(1);
  expect(compareValues(before, near, { keyBy: {}, compare: { "**": within(0) } }).diff.entries).toHaveLength(2);
});
