import { describe, expect, test } from "vitest";
import { PROPERTY_GALLERY } from "../../../../test-support/property-gallery.ts";
import { runCount } from "../../../../test-support/run-count.ts";
import { inputText } from "../counterexamples.ts";
import { StepPropertySubject } from "./step-subject.ts";

/** All of them take minutes, so `npm test` tries one, CI two, and `VERITEST_FAULTS=full` as many as the goal says. */
const COUNT = process.env["VERITEST_FAULTS"] === "full" ? 20 : runCount(200) / 100;
const SEEDS = Array.from({ length: COUNT }, (_, index) => index + 1);
const RUNS = 200;

test("the gallery has at least 25 kinds of bugs with unique titles", () => {
  expect(PROPERTY_GALLERY.length).toBeGreaterThanOrEqual(25);
  expect(new Set(PROPERTY_GALLERY.map(({ title }) => title)).size).toBe(PROPERTY_GALLERY.length);
});

describe.each(PROPERTY_GALLERY)("a step that $title", ({ property, size, options, faulty, right }) => {
  test.each(SEEDS)(`is found by "${property}", with a minimal input (seed %i)`, async (seed) => {
    const report = await new StepPropertySubject(faulty(), { ...options, runs: RUNS }, []).search({ seed });
    const found = report.failures.find((failure) => failure.property === property);
    expect(report.failures.map((failure) => failure.property)).toStrictEqual([property]);
    expect(inputText(found?.draw.input).length).toBeLessThanOrEqual(size);
  });

  test.each(SEEDS)("passes all properties without the bug (seed %i)", async (seed) => {
    const report = await new StepPropertySubject(right(), { ...options, runs: RUNS }, []).search({ seed });
    expect(report.failures).toStrictEqual([]);
  });
});
