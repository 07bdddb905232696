/** A worker process of the example: `node worker.ts <store url> <name>`, until it gets SIGTERM. */
import { unwrap } from "../../src/kernel/result.ts";
import { createRunner } from "../../src/runner.ts";
import { openPostgresStore } from "../../src/store-postgres.ts";
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
