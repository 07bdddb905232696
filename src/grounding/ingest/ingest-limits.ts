/** What a document may cost before it is refused. */
export interface IngestLimits {
  /** Default: 64 MiB. */
  readonly maxBytes: number;
  /** Pages of a PDF. Default: 2,000. */
  readonly maxPages: number;
  /** Characters of text in all. Default: 20 million. */
  readonly maxCharacters: number;
  /** Milliseconds for reading a PDF; then its thread is ended. Default: 60,000. */
  readonly maxMilliseconds: number;
  /** Memory of that thread's heap in MiB. Default: 1,024. */
  readonly maxHeapMegabytes: number;
}

/** Wide enough for books, narrow enough for a hostile file to end in an error within a minute. */
export const defaultLimits: IngestLimits = {
  maxBytes: 64 * 1024 * 1024,
  maxPages: 2000,
  maxCharacters: 20_000_000,
  maxMilliseconds: 60_000,
  maxHeapMegabytes: 1024,
};
