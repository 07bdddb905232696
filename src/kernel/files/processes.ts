import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isPlainObject } from "../json/plain-data.ts";
import { codeOf } from "../error-message.ts";

/**
 * Identity of a process, different from that of a later process with the same number. Null if a system doesn't provide
 * it.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks between the system's start and the process's. */
  readonly startTicks: string | null;
  readonly host: string;
  readonly bootId: string | null;
  /** The name space the number belongs to: containers count by themselves. */
  readonly pidNamespace: string | null;
}

/** State of a process. `unknown` for one of another host or name space, or that /proc hides. */
type Liveness = "alive" | "dead" | "unknown";

/** The running process. */
export function ownIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    startTicks: startTicks(process.pid),
    host: hostname(),
    bootId: bootId(),
    pidNamespace: pidNamespace(),
  };
}

/** Returns true if the process of an identity still runs. */
export function livenessOf(identity: ProcessIdentity): Liveness {
  if (identity.host !== hostname() || identity.pidNamespace !== pidNamespace()) return "unknown";
  if (identity.bootId !== bootId()) return "dead";
  if (!isProcessAlive(identity.pid)) return "dead";
  const ticks = startTicks(identity.pid);
  // If /proc hides other users' processes, a process of this number may be the one of the identity or a later one.
  if (ticks === null && identity.startTicks !== null) return isProcessAlive(identity.pid) ? "unknown" : "dead";
  return identity.startTicks === ticks ? "alive" : "dead";
}

/** Narrows what was read from a file. */
export function isProcessIdentity(value: unknown): value is ProcessIdentity {
  if (!isPlainObject(value) || typeof value["pid"] !== "number" || typeof value["host"] !== "string") return false;
  return ["startTicks", "bootId", "pidNamespace"].every((key) => value[key] === null || typeof value[key] === "string");
}

/** Returns true if a process of this number exists, in this name space, and has not ended. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isEnded(pid);
  } catch (thrown) {
    // Another user's process refuses the signal, so it exists.
    return codeOf(thrown) === "EPERM";
  }
}

/** Number of the name space that counts this process. Each container has its own. 0 if a system has only one. */
export function numberedWith(): number {
  return Number(/\d+/.exec(pidNamespace() ?? "")?.[0] ?? 0);
}

/** Field 22 of /proc/<pid>/stat. */
function startTicks(pid: number): string | null {
  return fieldsOf(pid)?.[19] ?? null;
}

/**
 * True for a process that ended but wasn't reaped by its parent, as under a container's first process. It still accepts
 * signals.
 */
function isEnded(pid: number): boolean {
  return ["Z", "X"].includes(fieldsOf(pid)?.[0] ?? "");
}

/**
 * /proc/<pid>/stat from its third field on, after the last parenthesis, because the program's name may contain any
 * character.
 */
function fieldsOf(pid: number): readonly string[] | undefined {
  const stat = readSystemFile(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function bootId(): string | null {
  return readSystemFile("/proc/sys/kernel/random/boot_id")?.trim() ?? null;
}

function pidNamespace(): string | null {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    // No Linux: one name space per host.
    return null;
  }
}

/** Text of a file of the system. */
export function readSystemFile(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Not Linux, or the process has ended or is another user's. The caller treats null as unknown.
    return null;
  }
}

const cell = new Int32Array(new SharedArrayBuffer(4));

/** Waits without an event loop turn, and so blocks its process on purpose. */
export function sleepSync(milliseconds: number): void {
  Atomics.wait(cell, 0, 0, milliseconds);
}
