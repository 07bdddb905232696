import { type AdapterCall, requestHash } from "./adapter-call.ts";
import { joinPath } from "./adapter-name.ts";
import { nearestCall } from "./nearest-call.ts";
import type { RecordingMiss } from "./recording-miss.ts";

/** The recorded calls of one request, in order, and how many times it was made again. */
interface Line {
  readonly calls: AdapterCall[];
  asked: number;
}

/** Finds recorded calls by what is asked for, each one once. */
export class CallIndex {
  readonly #calls: readonly AdapterCall[];
  readonly #lines = new Map<string, Line>();
  readonly #reads = new Map<string, Line>();
  readonly #byAdapter = new Map<string, AdapterCall[]>();
  readonly #paths = new Set<string>();
  readonly #served = new Set<AdapterCall>();

  constructor(calls: readonly AdapterCall[]) {
    this.#calls = calls;
    for (const call of calls.toSorted((a, b) => a.occurrence - b.occurrence)) this.#add(call);
  }

  /** The next recorded call of this request, or why there is none. */
  take(adapter: string, request: unknown): AdapterCall | RecordingMiss {
    const line = this.#lines.get(requestHash(adapter, request));
    const call = line?.calls[line.asked];
    if (line === undefined || call === undefined) return this.#miss(adapter, request, line);
    line.asked += 1;
    this.#served.add(call);
    return call;
  }

  /** What the next read of a property gave in the recording; undefined when it was not read there. */
  read(adapter: string, request: readonly string[]): AdapterCall | undefined {
    const line = this.#reads.get(requestHash(adapter, request));
    if (line === undefined) return undefined;
    // A value holds from the read that first gave it to the one that gave another.
    const call = line.calls.findLast(({ occurrence }) => occurrence <= line.asked) ?? line.calls[0];
    line.asked += 1;
    if (call !== undefined) this.#served.add(call);
    return call;
  }

  /** The calls (not reads) recorded of an adapter. */
  callsOf(adapter: string): readonly AdapterCall[] {
    return this.#byAdapter.get(adapter) ?? [];
  }

  /** Tells whether anything was recorded at or below a path. */
  knows(path: string): boolean {
    return this.#paths.has(path);
  }

  /** The keys directly below a path at or below which something was recorded. */
  keysBelow(path: string): readonly string[] {
    const prefix = joinPath(path, "");
    const below = [...this.#paths].filter((known) => known !== path && known.startsWith(prefix));
    return [...new Set(below.flatMap((known) => known.slice(prefix.length).split(".", 1)))];
  }

  /** The recorded calls that nothing asked for. */
  unused(): readonly AdapterCall[] {
    return this.#calls.filter((call) => !this.#served.has(call));
  }

  #add(call: AdapterCall): void {
    const isRead = call.returns === "property";
    const lines = isRead ? this.#reads : this.#lines;
    const hash = requestHash(call.adapter, call.request);
    const line = lines.get(hash) ?? { calls: [], asked: 0 };
    line.calls.push(call);
    lines.set(hash, line);
    this.#addPath(call.adapter);
    if (!isRead) this.#addCall(call);
  }

  #addCall(call: AdapterCall): void {
    const calls = this.#byAdapter.get(call.adapter) ?? [];
    calls.push(call);
    this.#byAdapter.set(call.adapter, calls);
  }

  #addPath(path: string): void {
    if (this.#paths.has(path)) return;
    const segments = path.split(".");
    for (const end of segments.keys()) this.#paths.add(segments.slice(0, end + 1).join("."));
  }

  #miss(adapter: string, request: unknown, line: Line | undefined): RecordingMiss {
    const calls = this.callsOf(adapter);
    const left = calls.filter((call) => !this.#served.has(call));
    const nearest = nearestCall(left.length > 0 ? left : calls, request);
    if (nearest === undefined) return { adapter, request, reason: "unknown_adapter", recorded: 0 };
    if (line === undefined) return { adapter, request, reason: "unknown_request", nearest, recorded: calls.length };
    return { adapter, request, reason: "repeated", nearest, recorded: calls.length, limit: line.calls.length };
  }
}
