import type { AdapterCall } from "../record/adapter-call.ts";
import { CallServer } from "../record/call-server.ts";
import type { RecordingMiss } from "../record/recording-miss.ts";
import type { BaseAdapters } from "../step/context.ts";
import type { AdapterSource } from "./adapter-source.ts";

/**
 * The recorded calls of a case as the source of its adapters: nothing outside is touched. Adapters are made when they
 * are asked for.
 */
export class RecordedSource implements AdapterSource {
  readonly kind = "recorded";
  readonly #recorded: readonly AdapterCall[];
  readonly #server: CallServer;

  constructor(recorded: readonly AdapterCall[]) {
    this.#recorded = recorded;
    this.#server = new CallServer(recorded);
  }

  get adapters(): BaseAdapters {
    return this.#server.adapters;
  }

  /** The recorded calls that were made again. */
  calls(): readonly AdapterCall[] {
    const unused = new Set(this.#server.unused());
    return this.#recorded.filter((call) => !unused.has(call));
  }

  misses(): readonly RecordingMiss[] {
    return this.#server.misses();
  }

  /** A property that was not read is no call that was not made. */
  unused(): readonly string[] {
    return this.#server
      .unused()
      .filter(({ returns }) => returns !== "property")
      .map(({ adapter }) => adapter);
  }

  /** None: nothing is recorded here. */
  problems(): readonly string[] {
    return [];
  }

  within<T>(run: () => T | PromiseLike<T>): Promise<T> {
    return this.#server.within(run);
  }
}
