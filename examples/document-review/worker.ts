/** A worker process of the example: `node worker.ts <store url> <name>`, until it gets SIGTERM. */
import { unwrap } from "veritest/kernel";
import { createRunner } from "veritest/runner";
import { openPostgresStore } from "veritest/store/postgres";
import { documents } from "./workflow.ts";

const [url = "", owner = ""] = process.argv.slice(2);
const store = unwrap(await openPostgresStore({ url }));
const runner = createRunner({
  store,
  owner,
  workflows: [documents],
  sinks: { "*": (_payload, { topic }) => console.log(`  ${owner} brings out ${topic}`) },
  concurrency: 2,
  pollMs: 50,
});
process.once("SIGTERM", () => void runner.stop().then(async () => store.close()));
await runner.start();
console.log(`  ${owner} is ready`);
