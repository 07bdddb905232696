import { types } from "node:util";

/** How what an object holds is redacted. */
export interface InstanceRules {
  readonly redactBytes: (bytes: Buffer) => Buffer;
  readonly item: (item: unknown, key: string | number) => unknown;
  /** What stands under a name, which may say that it is a secret. */
  readonly field: (item: unknown, name: string) => unknown;
}

/**
 * Redacts an object that is neither an array nor plain: bytes, Map, Set, URL, Error, and the own fields of others. A
 * changed one is a copy of the same class; its private fields are lost. Dates and what has no fields come back as
 * given.
 */
export function redactInstance(value: object, rules: InstanceRules): unknown {
  if (types.isUint8Array(value)) return redactArray(value, rules);
  if (types.isMap(value)) return redactMap(value, rules);
  if (types.isSet(value)) return redactSet(value, rules);
  if (value instanceof URL) return redactUrl(value, rules);
  if (types.isDate(value) || types.isRegExp(value) || ArrayBuffer.isView(value)) return value;
  return redactOwnFields(value, rules);
}

function redactArray(value: Uint8Array, { redactBytes }: InstanceRules): Uint8Array {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const redacted = redactBytes(bytes);
  if (redacted === bytes) return value;
  return Buffer.isBuffer(value) ? redacted : new Uint8Array(redacted);
}

function redactMap(map: ReadonlyMap<unknown, unknown>, { item, field }: InstanceRules): ReadonlyMap<unknown, unknown> {
  const entries = [...map].map(([key, value], index) => {
    const name = item(key, index);
    return [name, typeof name === "string" ? field(value, name) : item(value, index)] as const;
  });
  const same = [...map].every(([key, value], index) => entries[index]?.[0] === key && entries[index]?.[1] === value);
  return same ? map : new Map(entries);
}

function redactSet(set: ReadonlySet<unknown>, { item }: InstanceRules): ReadonlySet<unknown> {
  const items = [...set].map(item);
  return [...set].every((member, index) => items[index] === member) ? set : new Set(items);
}

function redactUrl(url: URL, { item }: InstanceRules): unknown {
  const href = item(url.href, "href");
  if (href === url.href || typeof href !== "string") return url;
  return URL.canParse(href) ? new URL(href) : href;
}

/** An error's message and stack are own fields, too, though hidden ones. */
function redactOwnFields(value: object, { field }: InstanceRules): object {
  const changed = Object.entries(Object.getOwnPropertyDescriptors(value)).flatMap(([name, descriptor]) => {
    if (!("value" in descriptor)) return [];
    const item: unknown = descriptor.value;
    const redacted = field(item, name);
    return redacted === item ? [] : [[name, { ...descriptor, value: redacted, configurable: true }] as const];
  });
  if (changed.length === 0) return value;
  const copy = {};
  Reflect.setPrototypeOf(copy, Reflect.getPrototypeOf(value));
  return Object.defineProperties(copy, { ...Object.getOwnPropertyDescriptors(value), ...Object.fromEntries(changed) });
}
