import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { beginRun } from "../updates/test-run.ts";
import { reviewCommandOf } from "./pending-commands.ts";

afterEach(() => vi.unstubAllEnvs());

function announce(root: string): void {
  const run = beginRun({ root, area: root, state: root, notes: root });
  vi.stubEnv("VERITEST_WORKER_RUN", JSON.stringify(run));
}

test("commands for pending changes name the project's directory if the run was started above it", () => {
  announce(join(process.cwd(), "packages", "web app"));
  expect([reviewCommandOf("new"), reviewCommandOf("all", "g-1e1246"), reviewCommandOf("none")]).toStrictEqual([
    '(cd "packages/web app" && npx veritest review)',
    '(cd "packages/web app" && npx veritest accept --group g-1e1246)',
    "npx veritest review --from veritest-state.zip",
  ]);
});

test("commands for pending changes have no directory if the run was started in the project", () => {
  announce(process.cwd());
  expect(reviewCommandOf("new")).toBe("npx veritest review");
  vi.unstubAllEnvs();
  expect(reviewCommandOf("new", "g-1e1246")).toBe("npx veritest accept --group g-1e1246");
});
