import { expect, test } from "vitest";
import { timesAsLong } from "../../../test-support/cpu-ms.ts";
import type { Observation } from "./observation.ts";
import { type ImportedRun, runsOfTrace } from "./runs-of-trace.ts";

const COUNT = 10_000;

function span(index: number, { parent, name = "chat" }: { parent: number | undefined; name?: string }): Observation {
  const call = name === "chat" ? ({ kind: "adapter", adapter: "llm", request: [], error: "none" } as const) : undefined;
  return {
    trace: "t",
    id: `${index}`,
    parent: parent === undefined ? parent : `${parent}`,
    names: [name],
    start: index,
    call,
  };
}

function runs(seen: readonly Observation[], fallback?: string): readonly ImportedRun[] {
  const stepOf = ({ names }: Pick<Observation, "names">): string | undefined =>
    names.find((name) => name.startsWith("step"));
  return runsOfTrace(seen, { stepOf, fallback, isCut: false });
}

test.each<[what: string, parent: (index: number, count: number) => number]>([
  ["each in the one before", (index) => index - 1],
  ["all in the first", () => 0],
  ["in two branches", (index) => Math.max(0, index - 2)],
  ["half of them at the end of a chain", (index, count) => Math.min(index - 1, count / 2)],
])("reads a run of 10,000 spans, %s, in linear time", async (_what, parent) => {
  const read = (count: number): (() => void) => {
    const spans = Array.from({ length: count }, (_, index) =>
      index === 0 ? span(0, { parent: undefined, name: "step" }) : span(index, { parent: parent(index, count) }),
    );
    return () => expect(runs(spans).map(({ calls }) => calls.length)).toStrictEqual([count - 1]);
  };
  // Twenty times as many spans; a quadratic reader would take 400 times as long.
  expect(await timesAsLong(read(COUNT / 20), read(COUNT))).toBeLessThan(100);
});

test("reads spans of other steps in a chain, each with the calls below it", () => {
  const spans = ["step-a", "chat", "step-b", "chat", "step-a", "chat"].map((name, index) =>
    span(index, { parent: index === 0 ? undefined : index - 1, name }),
  );
  expect(runs(spans).map(({ step, calls }) => [step, calls.length])).toStrictEqual([
    ["step-a", 3],
    ["step-b", 2],
  ]);
});

test("ends for spans that are in each other", () => {
  const spans = [span(0, { parent: 1, name: "step" }), span(1, { parent: 2 }), span(2, { parent: 0 })];
  expect(runs(spans)).toHaveLength(1);
});

test("a log record doesn't move its span, and unknown times don't count", () => {
  const root = { ...span(500, { parent: undefined, name: "step" }), id: "root" };
  const log = (start: number): Observation => ({ ...root, names: [], start, isLog: true });
  expect(runs([log(0), root, log(0)]).map(({ at }) => at)).toStrictEqual([500]);
  expect(runs([log(400), root, log(600)]).map(({ at }) => at)).toStrictEqual([500]);
  expect(runs([{ ...root, start: 0 }, log(600), log(700)]).map(({ at }) => at)).toStrictEqual([600]);
  expect(runs([{ ...root, start: 0 }, root]).map(({ at }) => at)).toStrictEqual([500]);
});
