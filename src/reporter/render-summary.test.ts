import { join } from "node:path";
import { expect, test } from "vitest";
import { type RunEnding, renderSummary } from "./render-summary.ts";

const NOTHING: RunEnding = {
  outcomes: [{ path: "a", outcome: "clean" }],
  obsolete: [],
  removed: false,
  updateResult: undefined,
  dropped: [],
  remarks: [],
  problems: [],
};

test("what several baselines have to say alike is one line, with how many", () => {
  const at = (name: string): string => join(process.cwd(), "__baselines__", name);
  const asks = "other requests than are recorded: -u records them";
  const remarks = [
    { path: at("a.json"), text: asks },
    { path: at("b.json"), text: "1 write skipped" },
    { path: at("c.json"), text: asks },
  ];
  expect(renderSummary({ ...NOTHING, remarks })).toStrictEqual([
    "  Baselines  1 clean",
    `             2 baselines  ${asks}`,
    "             __baselines__/b.json  1 write skipped",
  ]);
});
