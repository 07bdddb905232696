/** Prints how long one thread, and two that share it, take by the clock for so many hashes: `threads.ts count`. */
import { hash } from "node:crypto";
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { Worker, isMainThread, parentPort } from "node:worker_threads";

function work(hashes: number): void {
  let text = "work";
  for (let left = hashes; left > 0; left -= 1) text = hash("sha256", text);
}

/** A thread that has compiled the work already. */
async function started(): Promise<Worker> {
  const worker = new Worker(new URL(import.meta.url));
  await once(worker, "message");
  return worker;
}

async function timed(workers: readonly Worker[], hashes: number): Promise<number> {
  const start = performance.now();
  await Promise.all(
    workers.map(async (worker) => {
      const done = once(worker, "message");
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is of windows
      worker.postMessage(hashes / workers.length);
      await done;
    }),
  );
  return performance.now() - start;
}

if (isMainThread) {
  const hashes = Number(process.argv[2]);
  const [first, second] = [await started(), await started()];
  console.log(JSON.stringify({ one: await timed([first], hashes), two: await timed([first, second], hashes) }));
  await Promise.all([first.terminate(), second.terminate()]);
} else {
  work(50_000);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is of windows
  parentPort?.postMessage("ready");
  parentPort?.on("message", (hashes: number) => {
    work(hashes);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is of windows
    parentPort?.postMessage("done");
  });
}
