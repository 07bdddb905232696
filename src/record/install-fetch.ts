import { FETCH_TAPE } from "./fetch-handlers.ts";
import { handlersHere } from "./recording-scope.ts";
import { FETCH, addTape } from "./tapes.ts";

const KEY = Symbol.for("veritest.fetch");

/** The replaced `fetch`, and how often it is installed, in all copies of this module. */
interface Installed {
  count: number;
  readonly restore: () => void;
}

/**
 * Replaces `globalThis.fetch` by one that `recordFetch` and `serveFetch` can answer, and that the matchers record and
 * serve; elsewhere it is the one it was. Call it before clients are built: most keep the `fetch` they find then. The
 * function handed back takes it away again, once it has been called as often as this one.
 */
export function installFetch(): () => void {
  const installed = known() ?? { count: 0, restore: replaceFetch() };
  installed.count += 1;
  Reflect.set(globalThis, KEY, installed);
  let done = false;
  return () => {
    if (done) return;
    done = true;
    installed.count -= 1;
    if (installed.count > 0) return;
    Reflect.deleteProperty(globalThis, KEY);
    installed.restore();
  };
}

/** Tells whether `fetch` is replaced. */
export function isFetchInstalled(): boolean {
  return known() !== undefined;
}

function replaceFetch(): () => void {
  const original = globalThis.fetch;
  const remove = addTape(FETCH, FETCH_TAPE);
  const replaced: typeof fetch = async (input, init) => {
    const handler = handlersHere().fetch;
    return handler === undefined ? original(input, init) : handler(input, init, original);
  };
  globalThis.fetch = replaced;
  return () => {
    remove();
    // Whoever replaced it again meanwhile must put it back himself.
    if (globalThis.fetch === replaced) globalThis.fetch = original;
  };
}

function known(): Installed | undefined {
  const value: unknown = Reflect.get(globalThis, KEY);
  return isInstalled(value) ? value : undefined;
}

function isInstalled(value: unknown): value is Installed {
  return typeof value === "object" && value !== null && "count" in value && "restore" in value;
}
