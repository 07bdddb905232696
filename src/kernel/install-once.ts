/** An installed hook of this process, the number of its users, and the function that removes it. */
interface Installed {
  count: number;
  readonly restore: () => void;
}

/**
 * Installs a hook once in this process, in all copies of the calling module: `key` is its key on the global object. It
 * stays until each user has called the returned function; a second call of one user has no effect.
 */
export function installOnce(key: symbol, install: () => () => void): () => void {
  const state: unknown = Reflect.get(globalThis, key);
  const installed = isInstalled(state) ? state : { count: 0, restore: install() };
  installed.count += 1;
  Reflect.set(globalThis, key, installed);
  let done = false;
  return () => {
    if (done) return;
    done = true;
    installed.count -= 1;
    if (installed.count > 0) return;
    Reflect.deleteProperty(globalThis, key);
    installed.restore();
  };
}

function isInstalled(value: unknown): value is Installed {
  return typeof value === "object" && value !== null && "count" in value && "restore" in value;
}
