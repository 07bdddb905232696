import { type AdapterCall, requestIdentity, responsePath } from "../adapter-call.ts";

/**
 * Returns recorded calls with another request of one of them. Counts equal requests again, and moves the uses of
 * responses to the new paths of their calls.
 */
export function withRequest(calls: readonly AdapterCall[], call: AdapterCall, request: unknown): AdapterCall[] {
  const counts = new Map<string, number>();
  const moved = new Map<string, string>();
  return calls.map((known) => {
    const own = { ...known, adapter: movedPath(known.adapter, moved), ...(known === call && { request }) };
    if (known.returns === "property") return own;
    const identity = requestIdentity(own.adapter, own.request);
    const occurrence = counts.get(identity) ?? 0;
    counts.set(identity, occurrence + 1);
    const rewritten = { ...own, occurrence };
    moved.set(responsePath(known), responsePath(rewritten));
    return rewritten;
  });
}

/** Returns the path of an adapter below a call's response, if that call has a new path. The nearest call comes last. */
function movedPath(adapter: string, moved: ReadonlyMap<string, string>): string {
  const [before, after = ""] = [...moved].findLast(([path]) => `${adapter}.`.startsWith(`${path}.`)) ?? [];
  return before === undefined ? adapter : after + adapter.slice(before.length);
}
