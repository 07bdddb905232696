/** Prints what one comparison of shuffled entities costs in a fresh process: `diff-once.ts differ count`. */
import { cpuUsage, memoryUsage, resourceUsage } from "node:process";
import { loadDiffer } from "../contenders/differs.ts";
import { documentOf, shuffled } from "../data/entities.ts";

const [name = "", count = ""] = process.argv.slice(2);
const { compare, count: changesIn } = await loadDiffer(name);
const small = documentOf(50);
// Warm, so that what the compiler keeps is not counted.
for (let call = 0; call < 20; call += 1) compare(small, shuffled(small));
const before = documentOf(Number(count));
const after = shuffled(before);
globalThis.gc?.();
const heapBefore = memoryUsage().heapUsed;
const peakBefore = resourceUsage().maxRSS;
const started = cpuUsage();
const result = compare(before, after);
const { user, system } = cpuUsage(started);
const report = {
  milliseconds: (user + system) / 1000,
  // The young generation is small: this is what outlived it, and what still lies there.
  heapMegabytes: (memoryUsage().heapUsed - heapBefore) / 1e6,
  peakMegabytes: (resourceUsage().maxRSS - peakBefore) / 1e3,
  changes: changesIn(result),
};
console.log(JSON.stringify(report));
