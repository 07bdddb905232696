import { installOnce } from "../kernel/install-once.ts";
import { callerLocation } from "../kernel/stack-locations.ts";
import { currentInterceptors, withPurityWatch, unwatched, currentPurityWatch } from "./interceptors/recording-scope.ts";

/** A use of something whose answer is not the same each time. */
export interface PurityUse {
  /** What was used: `Date.now`, `new Date()`, `Math.random`, `crypto.randomUUID`, `fetch`, … */
  readonly api: string;
  /** Where: `file:line:column` of the nearest caller that is not in a package; empty when there is none. */
  readonly at: string;
}

/** What a watched run gave, and what it used. */
export interface WatchedRun<T> {
  readonly value: T;
  /** In order; the same use at the same place once. */
  readonly uses: readonly PurityUse[];
}

/**
 * Runs something and notes each use of time, random numbers and the network by it, and by all it starts, outside of
 * adapters that are being recorded. The functions used work as ever. Others that run at the same time are not noted,
 * and nothing stays replaced. Rejects with what `run` throws.
 */
export async function watchPurity<T>(run: () => T | PromiseLike<T>): Promise<WatchedRun<T>> {
  const uses = new Map<string, PurityUse>();
  const outer = currentPurityWatch();
  let open = true;
  const note = (api: string, trap: object): void => {
    if (!open) return;
    const at = callerLocation(trap);
    uses.set(`${api} ${at}`, { api, at });
    outer?.note(api, trap);
  };
  const restore = interceptImpureCalls();
  try {
    const value = await withPurityWatch({ note }, async () => run());
    return { value, uses: [...uses.values()] };
  } finally {
    open = false;
    restore();
  }
}

/** Puts back what was replaced. */
export type Restore = () => void;

const KEY = Symbol.for("veritest.purity-traps");

/**
 * Traps what answers differently each time, until the function handed back has been called as often as this one. A
 * trapped function works as before, and tells who watches where it is called. Who watches many runs keeps them
 * installed meanwhile: replacing and putting back takes longer than a small run.
 */
export function interceptImpureCalls(): Restore {
  return installOnce(KEY, trapAll);
}

const METHODS: readonly (readonly [api: string, owner: () => unknown, name: string])[] = [
  ["Math.random", () => Math, "random"],
  ["performance.now", () => Reflect.get(globalThis, "performance"), "now"],
  ["crypto.randomUUID", () => Reflect.get(globalThis, "crypto"), "randomUUID"],
  ["crypto.getRandomValues", () => Reflect.get(globalThis, "crypto"), "getRandomValues"],
  ["process.hrtime.bigint", () => Reflect.get(globalThis, "process")?.hrtime, "bigint"],
  ["process.hrtime", () => Reflect.get(globalThis, "process"), "hrtime"],
  ["fetch", () => globalThis, "fetch"],
];

// What `import { randomUUID } from "node:crypto"` gives, too, once the names of built-in modules are synchronised.
const NODE_CRYPTO: readonly string[] = ["randomUUID", "randomBytes", "randomInt", "getRandomValues", "randomFillSync"];

function trapAll(): Restore {
  const restores = [
    trapDate(),
    ...METHODS.map(([api, owner, name]) => trapMethod(api, owner(), name)),
    ...NODE_CRYPTO.map((name) => trapMethod(`crypto.${name}`, process.getBuiltinModule("node:crypto"), name)),
  ];
  const { syncBuiltinESMExports } = process.getBuiltinModule("node:module");
  syncBuiltinESMExports();
  return () => {
    for (const restore of restores.toReversed()) restore();
    syncBuiltinESMExports();
  };
}

function trapMethod(api: string, owner: unknown, name: string): Restore {
  if ((typeof owner !== "object" && typeof owner !== "function") || owner === null) return () => undefined;
  const original: unknown = Reflect.get(owner, name);
  return typeof original === "function" ? replace(owner, name, trapped(api, original)) : () => undefined;
}

function trapped(api: string, original: object): object {
  const handler: Required<Pick<ProxyHandler<object>, "apply">> = {
    apply: (target, self, args: unknown[]): unknown => {
      const call = (): unknown => (typeof target === "function" ? Reflect.apply(target, self, args) : undefined);
      const watch = currentPurityWatch();
      // What a tape records is repeated by a replay.
      if (watch === undefined || (api === "fetch" && currentInterceptors().fetch !== undefined)) return call();
      watch.note(api, handler.apply);
      // What the function itself uses is not the caller's doing: `fetch` reads the clock.
      return unwatched(call);
    },
  };
  return new Proxy(original, handler);
}

function trapDate(): Restore {
  const now = trapped("Date.now", Date.now);
  const original = Date;
  const handler: Required<Pick<ProxyHandler<DateConstructor>, "apply" | "construct">> = {
    apply: (target) => {
      currentPurityWatch()?.note("Date()", handler.apply);
      return target();
    },
    construct: (target, args: unknown[], newTarget) => {
      if (args.length === 0) currentPurityWatch()?.note("new Date()", handler.construct);
      const date: unknown = Reflect.construct(target, args, newTarget === proxy ? target : newTarget);
      return date instanceof original ? date : new target();
    },
  };
  const proxy: DateConstructor = new Proxy(original, {
    ...handler,
    get: (target, key): unknown => (key === "now" ? now : Reflect.get(target, key)),
  });
  return replace(globalThis, "Date", proxy);
}

/** Puts a value in a property's place. What others have put there meanwhile is left to them. */
function replace(owner: object, name: string, value: object): Restore {
  const own = Object.getOwnPropertyDescriptor(owner, name);
  if (own?.configurable === false) return () => undefined;
  Object.defineProperty(owner, name, {
    value,
    configurable: true,
    writable: true,
    enumerable: own?.enumerable ?? false,
  });
  return () => {
    if (Object.getOwnPropertyDescriptor(owner, name)?.value !== value) return;
    if (own === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, own);
  };
}
