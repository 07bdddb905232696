import { expect, test } from "vitest";
import { durationText, parseDuration } from "./duration.ts";

test("parses and formats durations", () => {
  expect(["90s", "30m", "2h", "1.5h", "0.5s"].map(parseDuration)).toStrictEqual([
    90_000, 1_800_000, 7_200_000, 5_400_000, 500,
  ]);
  expect(["", "30", "m", "0m", "-1m", "1d", "1e3s"].map(parseDuration)).toStrictEqual(
    Array.from({ length: 7 }, () => undefined),
  );
  expect([90_000, 1_800_000, 7_200_000, 5_400_000, 500, 40].map(durationText)).toStrictEqual([
    "90s",
    "30m",
    "2h",
    "90m",
    "0.5s",
    "40ms",
  ]);
});
