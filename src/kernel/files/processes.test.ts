import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type ProcessIdentity, isProcessIdentity, livenessOf, ownIdentity } from "./processes.ts";

function identityOf(pid: number): ProcessIdentity {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return { ...ownIdentity(), pid, startTicks: stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null };
}

test("this process is alive, and its identity survives JSON", () => {
  const read: unknown = JSON.parse(JSON.stringify(ownIdentity()));
  expect(isProcessIdentity(read) && livenessOf(read)).toBe("alive");
});

test("an ended process is dead", () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  expect(livenessOf({ ...ownIdentity(), pid })).toBe("dead");
});

test.each<[string, Partial<ProcessIdentity>, string]>([
  ["a number that another process has now", { startTicks: "1" }, "dead"],
  ["one from before the system started", { bootId: "another" }, "dead"],
  ["one of another host", { host: "elsewhere" }, "unknown"],
  ["one of another container", { pidNamespace: "pid:[1]" }, "unknown"],
])("%s: %s is %s", (_what, changed, liveness) => {
  expect(livenessOf({ ...ownIdentity(), ...changed })).toBe(liveness);
});

test.runIf(process.platform === "linux")("an ended process that its parent doesn't wait for is dead", async () => {
  // The shell becomes `sleep`, which takes no notice of its child.
  const parent = spawn("sh", ["-c", "sleep 600 & echo $!; exec sleep 600"], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    let line = "";
    for await (const chunk of parent.stdout) {
      line = String(chunk);
      break;
    }
    const ended = identityOf(Number(line));
    expect(livenessOf(ended)).toBe("alive");
    process.kill(Number(line), "SIGKILL");
    await expect.poll(() => livenessOf(ended), { timeout: 60_000 }).toBe("dead");
  } finally {
    parent.kill("SIGKILL");
  }
});

test.runIf(spawnSync("unshare", ["--mount", "true"]).status === 0)(
  "a process that /proc hides is unknown",
  { tags: "deep" },
  () => {
    const other = spawn("sleep", ["600"], { stdio: "ignore" });
    try {
      const identity = identityOf(other.pid ?? 0);
      const liveness = (): string => {
        const script = `
          import { livenessOf } from ${JSON.stringify(new URL("./processes.ts", import.meta.url).href)};
          console.log(livenessOf(${JSON.stringify(identity)}));`;
        const shell = `mount -t tmpfs none /proc/${identity.pid} && exec "$0" --input-type=module -e "$1"`;
        const ran = spawnSync("unshare", ["--mount", "sh", "-c", shell, process.execPath, script], {
          encoding: "utf8",
        });
        return ran.stdout.trim() || ran.stderr;
      };
      expect(liveness()).toBe("unknown");
    } finally {
      other.kill("SIGKILL");
    }
  },
);
