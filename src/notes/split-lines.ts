const LINE_BREAK = 0x0a;

/** One line of a file. */
export interface FileLine {
  /** From 1. */
  readonly number: number;
  /** Without its line break; undefined where it is longer than the limit. */
  readonly text: string | undefined;
  /** Whether a line break follows: only the last line may lack one. */
  readonly ended: boolean;
}

/**
 * Splits a stream of UTF-8 bytes at line feeds, and nowhere else: JSON text may hold what other splitters take for line
 * ends. A line longer than `limit` bytes comes without its text, so that memory stays bounded whatever the file holds.
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  limit: number,
): AsyncGenerator<FileLine, void, undefined> {
  const line = new PendingLine(limit);
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_BREAK); end !== -1; end = chunk.indexOf(LINE_BREAK, from)) {
      line.add(chunk.subarray(from, end));
      yield line.take(true);
      from = end + 1;
    }
    line.add(chunk.subarray(from));
  }
  if (line.length > 0) yield line.take(false);
}

class PendingLine {
  length = 0;
  readonly #limit: number;
  #number = 0;
  #parts: Buffer[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(part: Buffer): void {
    this.length += part.length;
    if (this.length <= this.#limit) this.#parts.push(part);
    else this.#parts = [];
  }

  take(ended: boolean): FileLine {
    const text = this.length <= this.#limit ? Buffer.concat(this.#parts).toString("utf8") : undefined;
    this.#number += 1;
    this.length = 0;
    this.#parts = [];
    return { number: this.#number, text, ended };
  }
}
