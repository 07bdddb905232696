import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ALL_KINDS } from "../../test-support/run-models.ts";
import { sampleRun } from "../../test-support/sample-run.ts";
import { renderJson } from "./formats/render-json.ts";
import { renderText } from "./formats/render-text.ts";
import { caseStatus } from "../explain/tally.ts";

const page = readFileSync(new URL("../../docs/reports.md", import.meta.url), "utf8");
const directory = mkdtempSync(join(tmpdir(), "veritest-reports-"));

afterAll(() => rmSync(directory, { recursive: true }));

describe("docs/reports.md", () => {
  test("shows a report exactly as it is printed", () => {
    const shown = /```\n(route-ticket: .*?)```/s.exec(page)?.[1];
    expect(`${renderText(sampleRun(), { columns: 80, colors: false }).join("\n")}\n`).toContain(shown);
  });

  test("has a script that lists changes caused by a prompt", { tags: "deep" }, () => {
    mkdirSync(join(directory, "veritest-report"));
    writeFileSync(join(directory, "veritest-report", "run.json"), renderJson(sampleRun()));
    writeFileSync(join(directory, "script.mts"), /```ts\n(.*?)```/s.exec(page)?.[1] ?? "");
    const { stdout } = spawnSync(process.execPath, ["--experimental-strip-types", "--no-warnings", "script.mts"], {
      cwd: directory,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], NO_COLOR: "1" },
    });
    expect(stdout).toBe("steps/__baselines__/extract-claims/long-summary-0badcafe.json: 5 changes\n");
  });

  test("names every field, class and count", () => {
    const { cases, counts: _, ...facts } = sampleRun();
    const [found] = cases.filter((one) => one.findings !== null);
    const names = [
      ...Object.keys(facts),
      ...Object.keys(found ?? {}),
      ...Object.keys(found?.findings ?? {}),
      ...ALL_KINDS,
      caseStatus({ kind: "request_changed", updateState: "none" }),
    ];
    expect(names.filter((name) => name !== "kind" && !page.includes(`\`${name}\``))).toEqual([]);
  });
});
