import { readVariable, setVariable } from "../kernel/environment.ts";
import { randomBytes } from "node:crypto";
import { isPlainObject } from "../kernel/json/plain-data.ts";
import type { ProjectPaths } from "../kernel/files/project-paths.ts";
import { type ProcessIdentity, isProcessIdentity, ownIdentity } from "../kernel/files/processes.ts";

/** A test run that applies its updates at its end. */
export interface TestRun {
  /** Names its directories: a time, the process and random digits. */
  readonly id: string;
  /** Process that applies them. While it's alive, no other process changes the run's staged updates. */
  readonly owner: ProcessIdentity;
  readonly paths: ProjectPaths;
}

/** Begins a run of this process. */
export function beginRun(paths: ProjectPaths): TestRun {
  return {
    id: `${Date.now().toString(36)}-${process.pid}-${randomBytes(4).toString("hex")}`,
    owner: ownIdentity(),
    paths,
  };
}

/** Announces the run to its workers. */
export function announceRun(run: TestRun, environment: NodeJS.ProcessEnv): void {
  setVariable(environment, "VERITEST_WORKER_RUN", JSON.stringify(run));
}

/** Run that this process is a worker of. Undefined if none was announced. */
export function announcedRun(environment: NodeJS.ProcessEnv): TestRun | undefined {
  const text = readVariable(environment, "VERITEST_WORKER_RUN");
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  if (isTestRun(value)) return value;
  throw new Error("VERITEST_WORKER_RUN is set by veritest for its own workers and has a different value. Unset it.");
}

function isTestRun(value: unknown): value is TestRun {
  if (!isPlainObject(value) || typeof value["id"] !== "string" || !isProcessIdentity(value["owner"])) return false;
  const { paths } = value;
  return isPlainObject(paths) && ["root", "area", "state", "notes"].every((key) => typeof paths[key] === "string");
}
