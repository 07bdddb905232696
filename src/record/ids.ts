import { hash, randomUUID } from "node:crypto";

/** New ids for steps: made through an adapter, so that a recording has them. */
export interface Ids {
  /** A UUID of version 4. A label tells apart ids that are made side by side: `next("invoice")`. */
  readonly next: (label?: string) => string;
}

/** How ids are made. */
export interface IdsOptions {
  /** Equal seeds give equal ids in the same order, on every machine. Without one each id is new. */
  readonly seed: string | number;
}

/**
 * Makes a source of ids.
 *
 * @example
 * const adapters = { llm, ids: ids() };
 * ctx.adapters.ids.next(); // "0b0cf4ba-3f2e-4b5a-9d8e-2f1c6a7b8c9d"
 */
export function ids(options?: IdsOptions): Ids {
  return { next: options === undefined ? () => randomUUID() : seededIds(options.seed) };
}

function seededIds(seed: string | number): (label?: string) => string {
  let count = 0;
  return () => {
    const hex = hash("sha256", `${seed}:${count}`, "hex");
    count += 1;
    // The version, and the variant's two bits with two of the hash, stand at fixed places.
    const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `${variant}${hex.slice(17, 20)}`,
      hex.slice(20, 32),
    ].join("-");
  };
}
