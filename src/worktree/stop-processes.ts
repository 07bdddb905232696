import { readFileSync, readdirSync } from "node:fs";
import { spawn } from "node:child_process";

/** Tells every process of a run: its own variable, which a process hands down however far it moves from the group. */
export const RUN_VARIABLE = "VERITEST_RUN";

/** Sends a signal to a process and all of its group. One that is gone is no trouble. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (process.platform === "win32") {
    // Windows has no groups; taskkill walks the tree of children.
    spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true }).on(
      "error",
      () => undefined,
    );
    return;
  }
  signalOne(-pid, signal);
}

/**
 * The processes that carry a run's mark in their environment, wherever they moved: also those that made a session of
 * their own. Empty where the system does not tell (no `/proc`); processes of other users cannot be read and are left
 * out.
 */
export function markedProcesses(runId: string): readonly number[] {
  const mark = `${RUN_VARIABLE}=${runId}`;
  return numbersOf("/proc").filter((pid) => pid !== process.pid && environmentOf(pid).split("\0").includes(mark));
}

/** Kills every process of a run and waits until none is left, at most five seconds. True when none is. */
export async function stopMarked(runId: string): Promise<boolean> {
  for (let round = 0; round < 200; round += 1) {
    const left = markedProcesses(runId);
    if (left.length === 0) return true;
    for (const pid of left) signalOne(pid, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already, or not ours to end: whoever waits for it sees which.
  }
}

function numbersOf(directory: string): readonly number[] {
  try {
    return readdirSync(directory)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    // No /proc on this system.
    return [];
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    // Ended meanwhile, or another user's.
    return "";
  }
}
