import { isResponseKey, unmarkedResponsePath, withoutResponse } from "../adapter-call.ts";

/** The paths of a recording's adapters: what a replay offers to a step that looks an adapter up. */
export class RecordedPaths {
  readonly #paths = new Set<string>();
  /** Keys directly below each path. A replay looks them up for each chunk of a stream. */
  readonly #keysBelow = new Map<string, string[]>();
  readonly #usedResponses = new Set<string>();

  /** Adds the path of a recorded call or read, such as `llm.chat.create`, with those above it. */
  add(path: string): void {
    if (this.#paths.has(path)) return;
    this.#paths.add(path);
    const end = path.lastIndexOf(".");
    const [above, key] = [path.slice(0, Math.max(end, 0)), path.slice(end + 1)];
    if (end !== -1) this.add(above);
    if (isResponseKey(key)) this.#usedResponses.add(withoutResponse(path));
    // An adapter that is itself a function has an empty path.
    else if (path !== "") this.#addKey(above, key);
  }

  /** Returns true if the recording has a call or read at or below a path. */
  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /** Returns true if uses of an adapter's responses were recorded, for any call. */
  hasUses(adapter: string): boolean {
    return this.#usedResponses.has(unmarkedResponsePath(adapter));
  }

  /** Returns the keys directly below a path that have recorded calls or reads. */
  keysBelow(path: string): readonly string[] {
    return this.#keysBelow.get(path) ?? [];
  }

  #addKey(path: string, key: string): void {
    const keys = this.#keysBelow.get(path) ?? [];
    keys.push(key);
    this.#keysBelow.set(path, keys);
  }
}
