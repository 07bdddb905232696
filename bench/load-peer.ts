/** A function of a peer, whose types are not checked: peers are only installed where somebody measures. */
export type PeerFunction = (...args: readonly unknown[]) => unknown;

/** Loads one function of a library in `bench/package.json`. Rejects with what to do when it is not installed. */
export async function loadPeer(library: string, exportName: string): Promise<PeerFunction> {
  const loaded: unknown = await import(library).catch(() => undefined);
  const found = [member(loaded, exportName), member(member(loaded, "default"), exportName)].find(isFunction);
  if (found !== undefined) return found;
  throw new Error(`${library} is not there to compare with. Install it first: npm ci --prefix bench`);
}

/** A method of an object that a peer made. */
export function methodOf(made: unknown, name: string): PeerFunction {
  const method = member(made, name);
  if (!isFunction(method)) throw new Error(`A peer's object has no ${name}().`);
  return (...args) => Reflect.apply(method, made, args);
}

/** A property of anything; undefined where there is none. */
export function member(value: unknown, name: string | number): unknown {
  return (typeof value === "object" && value !== null) || typeof value === "function"
    ? Reflect.get(value, name)
    : undefined;
}

function isFunction(value: unknown): value is PeerFunction {
  return typeof value === "function";
}
