import type { AdapterCall } from "../adapter-call.ts";

/** Counts, for each replayed call, the calls directly before it whose response the step doesn't have yet. */
export class ParallelCalls {
  /** Calls that are open, with their positions among the calls. */
  readonly #open = new Map<AdapterCall, number>();
  /** Only of calls that have any. */
  readonly #counts = new Map<AdapterCall, number>();
  #latest: AdapterCall | undefined;
  /** Position of the latest call. */
  #position = -1;
  /** Highest position of a call that isn't open. */
  #ended = -1;

  /** Notes the next call of the step. */
  start(call: AdapterCall): void {
    // A call that never opened had its response at once.
    if (this.#latest !== undefined && !this.#open.has(this.#latest)) this.#ended = this.#position;
    const count = this.#position - this.#ended;
    if (count > 0) this.#counts.set(call, count);
    this.#latest = call;
    this.#position += 1;
  }

  /** Notes that the step waits for the response of the latest call. */
  opened(call: AdapterCall): void {
    this.#open.set(call, this.#position);
  }

  /** Notes that the step gets the response of a call. */
  ended(call: AdapterCall): void {
    this.#ended = Math.max(this.#ended, this.#open.get(call) ?? -1);
    this.#open.delete(call);
  }

  /** Number of open calls directly before a call; undefined without any. */
  countOf(call: AdapterCall): number | undefined {
    return this.#counts.get(call);
  }
}
