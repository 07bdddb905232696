const CLOSED: readonly string[] = ["EPIPE", "ERR_STREAM_DESTROYED"];

/**
 * Lets a command end as it would have when nobody reads its output any more (`veritest log | head`). It is not stopped:
 * it may be in the middle of a settlement, and its exit code must stay true.
 */
export function ignoreBrokenPipe(streams: readonly NodeJS.WritableStream[]): void {
  for (const stream of streams) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (!CLOSED.includes(error.code ?? "")) throw error;
    });
  }
}
