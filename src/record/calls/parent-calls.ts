import { type AdapterCall, COPY_MARK, RESPONSE_MARK, copyPath, responsePath } from "../adapter-call.ts";

const TO_LAST_MARK = new RegExp(`^.*(?:${RESPONSE_MARK.source}|${COPY_MARK.source})`, "s");

/**
 * Returns for each call on a response, or on a copy of a client, the call that returned it: `db.connect` for
 * `db.connect().query`. Other calls have no parent.
 */
export function parentCalls(calls: readonly AdapterCall[]): ReadonlyMap<AdapterCall, AdapterCall> {
  const marked = calls.filter(({ adapter }) => TO_LAST_MARK.test(adapter));
  const byPath = new Map<string, AdapterCall>();
  // Few steps use responses or copies of clients, and each path is a hash.
  for (const call of marked.length === 0 ? [] : calls) {
    const path = responsePath(call);
    byPath.set(path, call).set(copyPath(path), call);
  }
  const parents = new Map<AdapterCall, AdapterCall>();
  for (const call of marked) {
    const parent = byPath.get(TO_LAST_MARK.exec(call.adapter)?.[0] ?? "");
    if (parent !== undefined) parents.set(call, parent);
  }
  return parents;
}
