// @module-tag deep
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { projectPaths } from "../../kernel/files/project-paths.ts";
import { listNames } from "../../kernel/files/read.ts";
import { recover } from "./recover.ts";

/** More than one batch of files that are written before they are synced. */
const COUNT = 200;

const SRC = join(import.meta.dirname, "..", "..");

/** Commits the other text of every file, and says when it begins. */
const COMMIT = `
import { projectPaths } from "${SRC}/kernel/files/project-paths.ts";
import { commitUpdates } from "${SRC}/updates/commit/commit-updates.ts";
import { versions } from "${SRC}/updates/receipts/receipt.ts";
const [root, before, after] = process.argv.slice(2);
const baselines = root + "/__baselines__";
const proposals = Array.from({ length: ${COUNT} }, (_, index) => ({
  kind: "update", root: baselines, group: "g", path: baselines + "/g/" + index + ".json", before, after,
}));
const actor = { kind: "human", because: "test" };
const receiptHead = { kind: "commit", at: new Date(0).toISOString(), run: "r", actor, gates: [], versions: versions() };
console.log("begin");
const end = commitUpdates(proposals, { paths: projectPaths(root, { XDG_STATE_HOME: root + "/.home" }), receiptHead });
console.log(end.kind, end.problem);
`;

test("a large commit killed at any moment is all old or all new after recovery, without leftovers", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-large-")));
  const directory = join(root, "__baselines__", "g");
  mkdirSync(directory, { recursive: true });
  for (let index = 0; index < COUNT; index += 1) writeFileSync(join(directory, `${index}.json`), "text 0");
  writeFileSync(join(root, "commit.mts"), COMMIT);
  const texts = (): readonly string[] => [
    ...new Set(Array.from({ length: COUNT }, (_, index) => readFileSync(join(directory, `${index}.json`), "utf8"))),
  ];
  const ends = new Set<string>();
  let now = "text 0";
  for (let trial = 1; trial <= 14; trial += 1) {
    const next = `text ${trial}`;
    const child = spawn(process.execPath, [join(root, "commit.mts"), root, now, next]);
    const closed = once(child, "close");
    // It ends without a line where it does not come so far.
    expect(String((await Promise.race([once(child.stdout, "data"), closed]))[0])).toContain("begin");
    // The last one is let through: a commit of this size works at all.
    if (trial < 14) {
      await setTimeout((trial - 1) * 25);
      child.kill("SIGKILL");
    }
    await closed;
    const paths = projectPaths(root, { XDG_STATE_HOME: join(root, ".home") });
    expect(recover(paths)).toMatchObject({ stuck: [] });
    const found = texts();
    expect(found).toHaveLength(1);
    expect([now, next]).toContain(found[0]);
    expect(readdirSync(directory)).toHaveLength(COUNT);
    expect(listNames(join(paths.state, "tx"))).toStrictEqual([]);
    ends.add(found[0] === next ? "new" : "old");
    now = found[0] ?? now;
  }
  expect(ends).toStrictEqual(new Set(["old", "new"]));
  rmSync(root, { recursive: true });
});
