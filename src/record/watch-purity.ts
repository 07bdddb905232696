import { installOnce } from "../kernel/install-once.ts";
import { type StackFrame, callerFrames, isInPackage, nearestLocation } from "../kernel/stack-locations.ts";
import { currentInterceptors, withPurityWatch, unwatched, currentPurityWatch } from "./interceptors/recording-scope.ts";

/** One use of an API whose result varies, such as the time. */
export interface PurityUse {
  /** API that was used: `Date.now`, `new Date()`, `Math.random`, `crypto.randomUUID`, `fetch`, … */
  readonly api: string;
  /** Location of the caller, `file:line:column`: the nearest one that is not in a package, or empty. */
  readonly at: string;
}

/** Result of a run with `watchPurity`, and the run's uses of time, random numbers and the network. */
export interface WatchedRun<T> {
  readonly value: T;
  /** Uses in order. A use that is repeated at the same location is listed once. */
  readonly uses: readonly PurityUse[];
}

/**
 * Runs a function and lists its uses of time, random numbers and the network outside recorded adapters, including those
 * of the work that it starts. The internal uses of SDKs (retry jitter, request ids) aren't listed. The APIs work as
 * usual, and are restored afterwards. Concurrent runs aren't watched. Rejects with the error of `run`.
 */
export async function watchPurity<T>(run: () => T | PromiseLike<T>): Promise<WatchedRun<T>> {
  const uses = new Map<string, PurityUse>();
  const outer = currentPurityWatch();
  let open = true;
  const note = (api: string, trap: object): void => {
    if (!open) return;
    // A runner maps positions while a stack is read, and its library sorts by random numbers.
    const frames = unwatched(() => callerFrames(trap));
    // A request that no recorder sees is live, also one of an SDK.
    if (api !== "fetch" && isOfSdk(frames)) return;
    const at = nearestLocation(frames);
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

/** SDKs and HTTP clients: packages, and scopes of packages. */
const PACKAGES =
  "openai|ai|langchain|langsmith|cohere-ai|ollama|replicate|together-ai|undici|axios|got|ky|node-fetch|[^/@]*-sdk";
const SCOPES =
  "openai|anthropic-ai|ai-sdk|google|google-cloud|langchain|mistralai|huggingface|aws-sdk|smithy|azure|azure-rest|" +
  "modelcontextprotocol|opentelemetry";
const SDK = new RegExp(`/node_modules/(?:${PACKAGES}|@(?:${SCOPES})/[^/]+)/`);

/**
 * Returns true for a use within an SDK or an HTTP client. An id that the project's code generates with one, by
 * `generateId` of the AI SDK, is the project's own use.
 */
function isOfSdk(frames: readonly StackFrame[]): boolean {
  const [first, second] = frames;
  if (first !== undefined && /generat/i.test(first.name) && second !== undefined && !isInPackage(second.location))
    return false;
  const index = frames.findIndex(({ location }) => !isInPackage(location));
  return frames
    .slice(0, index === -1 ? undefined : index)
    .some(({ location }) => SDK.test(location.replaceAll("\\", "/")));
}

/** Puts back what was replaced. */
export type Restore = () => void;

const KEY = Symbol.for("veritest.purity-traps");

/**
 * Traps APIs that return different values each time, until the returned function has been called as often as this one.
 * A trapped API works as before, and reports where it is called. Code that watches many runs keeps the traps installed:
 * installing and restoring takes longer than a small run.
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

// Also changes `import { randomUUID } from "node:crypto"`, once the names of built-in modules are synchronised.
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
  return typeof original === "function" ? replaceProperty(owner, name, trapped(api, original)) : () => undefined;
}

function trapped(api: string, original: object): object {
  const handler: Required<Pick<ProxyHandler<object>, "apply">> = {
    apply: (target, self, args: unknown[]): unknown => {
      const call = (): unknown => (typeof target === "function" ? Reflect.apply(target, self, args) : undefined);
      const watch = currentPurityWatch();
      // A replay repeats the calls that a recorder records.
      if (watch === undefined || (api === "fetch" && currentInterceptors().fetch !== undefined)) return call();
      watch.note(api, handler.apply);
      // Calls within the API aren't reported for the caller: `fetch` reads the clock.
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
  return replaceProperty(globalThis, "Date", proxy);
}

/** Replaces a property's value. If other code replaced it meanwhile, that value stays. */
export function replaceProperty(owner: object, name: string, value: object): Restore {
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
