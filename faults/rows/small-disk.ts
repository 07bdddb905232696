import { spawnSync } from "node:child_process";
import { rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitUpdates } from "../../src/updates/commit/commit-updates.ts";
import type { Row } from "../row.ts";
import { aftermath } from "../world/aftermath.ts";
import { DISK, discard, scratch } from "../world/scratch.ts";
import type { Tally } from "../world/tally.ts";
import { build, contextOf, proposalOf, worldAt, worldOf } from "../world/world.ts";

const PAGE = 4096;
const SIZE = 2 * 1024 * 1024;
const LARGE = "x".repeat(100_000);

/** A disk so small that it is full somewhere in the middle of a commit, wherever that is. */
export const smallDisk: Row = {
  name: "full disk (tmpfs)",
  run(tally, { full }) {
    const mounted = scratch(DISK);
    const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", mounted]);
    if (status !== 0) return tally.notice("not tried: mounting a tmpfs is not permitted here.");
    try {
      for (let free = 0; free < 140; free += full ? 1 : 7) commitWith(tally, mounted, free);
    } finally {
      spawnSync("umount", [mounted]);
      discard(mounted);
    }
  },
};

function commitWith(tally: Tally, mounted: string, free: number): void {
  const project = join(mounted, `project-${free}`);
  const proposals = ["one", "two", "three", "four"].map((name) =>
    proposalOf(project, name, { before: `${LARGE} old`, after: `${LARGE} new` }),
  );
  const context = build(worldOf(project, worldAt(project).places, proposals));
  const filler = join(mounted, "filler");
  fill(filler, free * PAGE);
  const { kind } = commitUpdates(context.proposals, contextOf(context));
  rmSync(filler);
  tally.add(aftermath(`${free} pages free: ${kind}`, context, kind));
  rmSync(project, { recursive: true });
}

/** Takes all space but so many bytes. */
function fill(path: string, free: number): void {
  const page = Buffer.alloc(PAGE);
  try {
    for (;;) writeFileSync(path, page, { flag: "a" });
  } catch {
    // Full: now give back what is to be free.
    const { size } = statSync(path);
    truncateSync(path, Math.max(0, size - free));
  }
}
