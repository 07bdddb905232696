import type { Tally } from "./world/tally.ts";

/** One kind of fault. */
export interface Row {
  readonly name: string;
  /** Tries it, in small counts or in full ones. */
  run(tally: Tally, options: RowOptions): Promise<void> | void;
}

/** How much a row tries. */
export interface RowOptions {
  readonly full: boolean;
}
