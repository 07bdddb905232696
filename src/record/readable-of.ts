/**
 * Makes a ReadableStream of chunks. The class is fetched at first use: importing `node:stream/web` costs more than all
 * of veritest, and few steps stream. Not the global one, which some test environments lack.
 */
export function readableOf(chunks: AsyncIterable<unknown>): object {
  return process.getBuiltinModule("node:stream/web").ReadableStream.from(chunks);
}
