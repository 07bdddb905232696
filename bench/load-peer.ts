/** A function of a peer, whose types are not checked: peers are only installed where somebody measures. */
export type PeerFunction = (...args: readonly unknown[]) => unknown;

/** Loads one function of a library in `bench/package.json`. Rejects with what to do when it is not installed. */
export async function loadPeer(library: string, exportName: string): Promise<PeerFunction> {
  const loaded: unknown = await import(library).catch(() => undefined);
  const found: unknown = typeof loaded === "object" && loaded !== null ? Reflect.get(loaded, exportName) : undefined;
  if (isFunction(found)) return found;
  throw new Error(`${library} is not there to compare with. Install it first: npm ci --prefix bench`);
}

function isFunction(value: unknown): value is PeerFunction {
  return typeof value === "function";
}
