import { describe, expect, test } from "vitest";
import { LAW_GALLERY } from "../../../test-support/law-gallery.ts";
import { inputText } from "./counterexamples.ts";
import { LawBook } from "./hold-laws.ts";

/** All of them take minutes: the usual run tries a few, the full one (`VERITEST_FAULTS=full`) as many as the goal says. */
const SEEDS = Array.from({ length: process.env["VERITEST_FAULTS"] === "full" ? 20 : 2 }, (_, index) => index + 1);
const RUNS = 200;

test("the gallery has at least 25 kinds of bugs", () => {
  expect(LAW_GALLERY.length).toBeGreaterThanOrEqual(25);
  expect(new Set(LAW_GALLERY.map(({ title }) => title)).size).toBe(LAW_GALLERY.length);
});

describe.each(LAW_GALLERY)("a step that $title", ({ law, size, options, faulty, right }) => {
  test.each(SEEDS)(`is found by "${law}", with a least input (seed %i)`, async (seed) => {
    const report = await new LawBook(faulty(), { ...options, runs: RUNS }, []).search({ seed });
    const found = report.findings.find((finding) => finding.law === law);
    expect(report.findings.map((finding) => finding.law)).toStrictEqual([law]);
    expect(inputText(found?.draw.input).length).toBeLessThanOrEqual(size);
  });

  test.each(SEEDS)("is not blamed without the bug (seed %i)", async (seed) => {
    const report = await new LawBook(right(), { ...options, runs: RUNS }, []).search({ seed });
    expect(report.findings).toStrictEqual([]);
  });
});
