import { documentOf } from "./data/entities.ts";
import { measure } from "./measure.ts";
import { median } from "./timing.ts";

/**
 * What `JSON.stringify` does on the machine that the goals in milliseconds were measured on, in MB per second of CPU
 * time.
 */
const REFERENCE_SPEED = 306;

/**
 * How many times as long plain work takes here and now as where the goals in milliseconds come from. Those goals are
 * divided by it: what they mean is "as long as this much plain work takes".
 */
export async function machineFactor(): Promise<number> {
  const document = documentOf(4900);
  const megabytes = JSON.stringify(document).length / 1e6;
  const [timing] = await measure({
    name: "machine",
    rounds: 5,
    contenders: [
      { name: "JSON.stringify", role: "limit", run: () => JSON.stringify(document), problemOf: () => undefined },
    ],
  });
  const milliseconds = median(timing?.rounds ?? []);
  return milliseconds / ((megabytes / REFERENCE_SPEED) * 1000);
}

/** Does some work and takes the machine's factor before and after it. */
export async function withFactor<T>(
  work: () => T | Promise<T>,
): Promise<{ readonly result: T; readonly factor: number }> {
  const before = await machineFactor();
  const result = await work();
  return { result, factor: (before + (await machineFactor())) / 2 };
}
