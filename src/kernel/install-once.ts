/** What is installed in this process, how often it was asked for, and what takes it away. */
interface Installed {
  count: number;
  readonly restore: () => void;
}

/**
 * Installs something once in this process, in all copies of the module that asks: `key` is where they find it. It is
 * there until the function handed back has been called by each who asked; called again by one, that changes nothing.
 */
export function installOnce(key: symbol, install: () => () => void): () => void {
  const found: unknown = Reflect.get(globalThis, key);
  const installed = isInstalled(found) ? found : { count: 0, restore: install() };
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
