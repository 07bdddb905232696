import { describe, expect, test } from "vitest";
import { ProgressLine, renderProgress } from "./progress-line.ts";

describe("a progress line", () => {
  test.each([
    [{ done: 1204, total: 10_000, changed: 2 }, "1,204 of 10,000  12 %  2 changed"],
    [{ done: 0, total: 10, changed: 0 }, "0 of 10  0 %"],
    [{ done: 10, total: 10, changed: 0 }, "10 of 10  100 %"],
    [{ done: 0, total: 0, changed: 0 }, "0 of 0  100 %"],
  ])("formats %o as %s", (progress, line) => {
    expect(renderProgress(progress)).toBe(line);
  });

  /** A line on an output that keeps what is written, and a clock that is set by hand. */
  function line(
    isTTY: boolean,
    columns: number,
  ): { readonly written: string[]; readonly at: (ms: number, done: number) => void; readonly progress: ProgressLine } {
    const written: string[] = [];
    let now = 0;
    const progress = new ProgressLine({ isTTY, columns, write: (text) => written.push(text) }, () => now);
    const at = (ms: number, done: number): void => {
      now = ms;
      progress.update({ done, total: 1000, changed: 0 });
    };
    return { written, at, progress };
  }

  test("appears after two seconds, updates at most ten times a second, and erases itself", () => {
    const { written, at, progress } = line(true, 80);
    for (const ms of [0, 500, 1999, 2000, 2050, 2099, 2100]) at(ms, ms / 10);
    progress.clear();
    progress.clear();
    expect(written).toEqual(["\r\u001b[K200 of 1,000  20 %", "\r\u001b[K210 of 1,000  21 %", "\r\u001b[K"]);
  });

  test("appears at once after it was cleared for other lines", () => {
    const { written, at, progress } = line(true, 80);
    at(3000, 300);
    progress.clear();
    at(3001, 300);
    expect(written).toHaveLength(3);
  });

  test("leaves the last cell of a narrow terminal empty", () => {
    const { written, at } = line(true, 12);
    at(3000, 300);
    expect(written).toEqual(["\r\u001b[K300 of 1,0…"]);
  });

  test("isn't written if the output isn't a terminal", () => {
    const { written, at, progress } = line(false, 80);
    at(3000, 300);
    progress.clear();
    expect(written).toEqual([]);
  });
});
