import type { AdapterCall } from "./adapter-call.ts";
import { isArray, isPlainObject, setOwnField, typeName } from "../kernel/json/plain-data.ts";

/** Field of an encoded argument with the name of its class: two commands may have equal fields. */
export const CLASS = "$instanceOf";

/** Field of an encoded argument with the values that its getters read from private fields. */
export const PRIVATE = "$privateFields";

/**
 * Returns the name of an instance's class without what bundlers add to it. Undefined for a short or anonymous one: a
 * minifier may change it with each build.
 */
export function stableClassName(value: object): string | undefined {
  const name = typeName(value).replaceAll(/^_+|[_$]*\d*$/g, "");
  return name !== "Object" && /^[A-Z](?=.{3}).*[a-z]{2}/.test(name) ? name : undefined;
}

/**
 * Returns a request without the details of instances that `other` lacks at the same path; by default, without any.
 * Recordings of earlier versions don't have details, and neither do replayed responses that a step passes on.
 */
export function withSharedDetails(request: unknown, other?: unknown): unknown {
  if (isArray(request)) {
    const items = isArray(other) ? other : [];
    const shared = request.map((item, index) => withSharedDetails(item, items[index]));
    return shared.every((item, index) => item === request[index]) ? request : shared;
  }
  if (!isPlainObject(request)) return request;
  const fields = isPlainObject(other) ? other : {};
  const shared: Record<string, unknown> = {};
  let isSame = true;
  for (const [name, item] of Object.entries(request)) {
    const isLacking = (name === CLASS || name === PRIVATE) && !Object.hasOwn(fields, name);
    const field = withSharedDetails(item, Object.hasOwn(fields, name) ? fields[name] : undefined);
    isSame &&= !isLacking && field === item;
    if (!isLacking) setOwnField(shared, name, field);
  }
  return isSame ? request : shared;
}

/** Returns the calls of a run, without details of instances if the recording has none of their adapter. */
export function withRecordedDetails(
  recorded: readonly AdapterCall[],
  calls: readonly AdapterCall[],
): readonly AdapterCall[] {
  const detailed = new Set<string>();
  for (const { adapter, request } of recorded) if (withSharedDetails(request) !== request) detailed.add(adapter);
  return calls.map((call) => {
    const request = detailed.has(call.adapter) ? call.request : withSharedDetails(call.request);
    return request === call.request ? call : { ...call, request };
  });
}
