import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isPlainObject } from "../../src/kernel/json/plain-data.ts";
import type { FaultPlan } from "../shim/fault-plan.ts";
import type { CommitOrder } from "./commit-order.ts";

/** How a child ended; `kind` is undefined when it was killed. */
export interface CommitEnd {
  readonly kind: string | undefined;
  readonly problem: string;
  readonly signal: NodeJS.Signals | null;
}

/** What a child is started with beside its order. */
export interface CommitChildOptions {
  readonly fault?: FaultPlan;
  /** The user to run as; only the superuser may choose. */
  readonly uid?: number;
}

const FAULTS = join(import.meta.dirname, "..");

/** Makes a commit in a process of its own, where a fault's SIGKILL is a real one. */
export async function runCommit(order: CommitOrder, { fault, uid }: CommitChildOptions = {}): Promise<CommitEnd> {
  const preload = pathToFileURL(join(FAULTS, "shim", "preload.ts")).href;
  const env = { ...process.env, NODE_NO_WARNINGS: "1", VERITEST_FAULT: JSON.stringify(fault ?? null) };
  const child = spawn(
    process.execPath,
    ["--import", preload, join(FAULTS, "children", "commit.ts"), JSON.stringify(order)],
    { env, stdio: ["ignore", "pipe", "pipe"], ...(uid === undefined ? {} : { uid, gid: uid }) },
  );
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  const signal = await new Promise<NodeJS.Signals | null>((resolve, reject) =>
    child.once("error", reject).once("close", (_code, by) => resolve(by)),
  );
  const said: unknown = JSON.parse(Buffer.concat(output).toString("utf8") || "{}");
  const { kind, problem } = isPlainObject(said) ? said : {};
  const told = typeof problem === "string" ? problem : Buffer.concat(errors).toString("utf8");
  return { kind: typeof kind === "string" ? kind : undefined, problem: told, signal };
}
