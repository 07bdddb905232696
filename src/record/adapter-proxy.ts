// The object behind each proxy. A proxy looks like what it stands for, so only a register can tell them apart.
const originals = new WeakMap<object, object>();

/** Remembers that a proxy stands for an adapter, so that it is recognised when a step passes it on as an argument. */
export function registerAdapterProxy(proxy: object, original: object): void {
  originals.set(proxy, original);
}

// Answers with methods are data, too: their stand-ins are unwrapped like proxies, but not recorded as adapters.
const answers = new WeakMap<object, object>();

/** Remembers that a stand-in stands for an answer, so that the adapters it is handed to get the answer itself. */
export function registerAnswerMirror(mirror: object, answer: object): void {
  answers.set(mirror, answer);
}

/** Tells whether an object is a proxy made for recording or serving adapters. */
export function isAdapterProxy(value: object): boolean {
  return originals.has(value);
}

/** The adapter itself behind a proxy of it; any other value comes back as it is. */
export function withoutProxy(value: unknown): unknown {
  const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
  return isObject ? (originals.get(value) ?? answers.get(value) ?? value) : value;
}
