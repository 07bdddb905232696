import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { READS, WRITES, canFail } from "./calls.ts";
import type { FaultPlan } from "./fault-plan.ts";
import { type DiskEvent, traceCall } from "./trace-call.ts";

/** Thrown by every call of a program that was killed in this process: nothing it does afterwards reaches the disk. */
class DeadProcess extends Error {
  readonly code = "EDEAD";
}

/**
 * How a program dies. In a process of its own, by SIGKILL; where many are tried in one, by refusing every further call.
 */
export type Death = "signal" | "silence";

/** What became of a plan. */
export interface Armed {
  /** The names of the calls that counted, in their order. */
  readonly calls: readonly string[];
  /** What reached the disk, in its order, where a trace was asked for. */
  readonly events: readonly DiskEvent[];
  readonly fired: () => boolean;
  /** Whether the program was killed. */
  readonly dead: () => boolean;
  readonly disarm: () => void;
}

/** Puts a fault into this process's file system until it is disarmed. */
export function armFault(plan: FaultPlan, watch: Watch): Armed {
  return new FaultFs(plan, watch).arm();
}

/** How a program is watched while a fault is armed. */
export interface Watch {
  readonly death: Death;
  /** True to keep what reaches the disk. */
  readonly trace?: boolean;
  /** Called before each call that counts; what it does itself does not count. */
  readonly before?: () => void;
}

class FaultFs {
  readonly #plan: FaultPlan;
  readonly #watch: Watch;
  readonly #calls: string[] = [];
  readonly #events: DiskEvent[] = [];
  readonly #paths = new Map<number, string>();
  readonly #originals = new Map<string, (args: readonly unknown[]) => unknown>();
  #fired = false;
  #dead = false;
  #inside = false;

  constructor(plan: FaultPlan, watch: Watch) {
    this.#plan = plan;
    this.#watch = watch;
  }

  arm(): Armed {
    const kept = new Map<string, unknown>();
    for (const name of [...WRITES, ...READS]) {
      const original: unknown = Reflect.get(fs, name);
      if (typeof original !== "function") throw new TypeError(`node:fs has no function ${name}.`);
      kept.set(name, original);
      this.#originals.set(name, (args): unknown => Reflect.apply(original, fs, args));
      Reflect.set(fs, name, (...args: readonly unknown[]): unknown => this.#call(name, args));
    }
    syncBuiltinESMExports();
    const disarm = (): void => {
      for (const [name, original] of kept) Reflect.set(fs, name, original);
      syncBuiltinESMExports();
    };
    return { calls: this.#calls, events: this.#events, fired: () => this.#fired, dead: () => this.#dead, disarm };
  }

  #call(name: string, args: readonly unknown[]): unknown {
    const path = this.#pathOf(args[0]);
    if (this.#inside || path === undefined || !this.#plan.within.some((root) => path.startsWith(root)))
      return this.#do(name, args);
    if (this.#dead) throw new DeadProcess(`${name} after death`);
    const kind = WRITES.has(name) && !(name === "openSync" && onlyReads(args[1])) ? "writes" : "reads";
    if (kind !== this.#plan.counts) return kind === "writes" ? this.#doTraced(name, args) : this.#do(name, args);
    this.#calls.push(name);
    this.#inside = true;
    this.#watch.before?.();
    this.#inside = false;
    const { at, sticky, code, action } = this.#plan;
    const now = this.#calls.length;
    if (now === this.#plan.killAt) return this.#die();
    if (at === 0 || now < at || (now > at && !sticky) || (action.startsWith("fail") && !canFail(name, code)))
      return this.#doTraced(name, args);
    this.#fired = true;
    return this.#fault(name, args, path);
  }

  #fault(name: string, args: readonly unknown[], path: string): unknown {
    switch (this.#plan.action) {
      case "kill before":
        return this.#die();
      case "kill after":
        this.#do(name, args);
        return this.#die();
      case "tear":
        this.#doHalf(name, args);
        return this.#die();
      case "fail":
        throw this.#error(name, path);
      case "fail after":
        this.#do(name, args);
        throw this.#error(name, path);
    }
  }

  #die(): never {
    this.#dead = true;
    if (this.#watch.death === "signal") process.kill(process.pid, "SIGKILL");
    throw new DeadProcess("killed");
  }

  #doHalf(name: string, args: readonly unknown[]): void {
    const [target, data] = args;
    if (!["writeFileSync", "writeSync", "appendFileSync"].includes(name) || typeof data !== "string") return;
    const bytes = Buffer.from(data);
    this.#do(name, [target, bytes.subarray(0, bytes.length / 2), ...args.slice(2)]);
  }

  #error(name: string, path: string): Error {
    const { code } = this.#plan;
    return Object.assign(new Error(`${code}: injected, ${name.replace("Sync", "")} '${path}'`), {
      code,
      syscall: name,
      path,
    });
  }

  #doTraced(name: string, args: readonly unknown[]): unknown {
    if (this.#watch.trace !== true) return this.#do(name, args);
    const traced = traceCall(name, args, (descriptor) => this.#paths.get(descriptor));
    const result = this.#do(name, args);
    this.#events.push(...traced);
    return result;
  }

  #do(name: string, args: readonly unknown[]): unknown {
    if (this.#plan.poor === true) this.#refuse(name, args);
    const result = this.#originals.get(name)?.(args);
    if (name === "openSync" && typeof result === "number" && typeof args[0] === "string")
      this.#paths.set(result, args[0]);
    return result;
  }

  /** What a network's or a container's file system does not have. */
  #refuse(name: string, [target]: readonly unknown[]): void {
    if (name === "linkSync")
      throw Object.assign(new Error("ENOTSUP: operation not supported, link"), { code: "ENOTSUP" });
    if (name === "fsyncSync" && typeof target === "number" && fs.fstatSync(target).isDirectory())
      throw Object.assign(new Error("EINVAL: invalid argument, fsync"), { code: "EINVAL" });
  }

  #pathOf(target: unknown): string | undefined {
    if (typeof target === "string") return target;
    return typeof target === "number" ? this.#paths.get(target) : undefined;
  }
}

/** Whether the flags of an \`openSync\` are those of a reader. */
function onlyReads(flags: unknown): boolean {
  const changing = fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_TRUNC;
  return flags === undefined || flags === "r" || (typeof flags === "number" && (flags & changing) === 0);
}
