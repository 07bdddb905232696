import type { AdapterCall } from "./adapter-call.ts";
import { CallIndex } from "./call-index.ts";
import { type RecordingMiss, RecordingMissError } from "./recording-miss.ts";
import { type RecordingOptions, recordingRules } from "./recording-rules.ts";
import { type Serving, servePlace } from "./served-place.ts";
import { inTapes } from "./tapes.ts";

/**
 * Serves recorded calls as `serveAdapters` does, and makes what that takes when something is first asked for: the rules
 * of the project and the adapters of each case were a fifth of a sweep over a step that asks for nothing, and held each
 * case in memory until the next full collection.
 */
export class CallServer {
  readonly #calls: readonly AdapterCall[];
  readonly #options: RecordingOptions | undefined;
  readonly #misses: RecordingMiss[] = [];
  #serving: Serving | undefined;
  #adapters: object | undefined;

  constructor(calls: readonly AdapterCall[], options?: RecordingOptions) {
    this.#calls = calls;
    this.#options = options;
  }

  /** The adapters, the same ones each time. Asked for within the check whose rules are to hold. */
  get adapters(): object {
    this.#adapters ??= servePlace("", this.#open());
    return this.#adapters;
  }

  /** How many recorded calls were answered so far; reads of properties are not counted. */
  served(): number {
    return this.#serving?.index.served() ?? 0;
  }

  /** What was asked for and not found, in order. */
  misses(): readonly RecordingMiss[] {
    return [...this.#misses];
  }

  /** The recorded calls that were not made, and the recorded property values that were not read. */
  unused(): readonly AdapterCall[] {
    return this.#serving?.index.unused() ?? [...this.#calls];
  }

  /**
   * Runs something and answers also what it asks past the adapters, where a tape is installed. Rejects with what
   * `run` throws.
   */
  within<T>(run: () => T | PromiseLike<T>): Promise<T> {
    return inTapes((tape) => tape.serve(this.#open()), run);
  }

  #open(): Serving {
    if (this.#serving !== undefined) return this.#serving;
    const rules = recordingRules(this.#options);
    const miss = (missed: RecordingMiss): RecordingMissError => {
      this.#misses.push(missed);
      return new RecordingMissError(missed);
    };
    this.#serving = { index: new CallIndex(this.#calls, rules), rules, miss };
    return this.#serving;
  }
}
