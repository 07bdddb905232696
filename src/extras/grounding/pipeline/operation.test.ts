import { afterAll, beforeEach, expect, test } from "vitest";
import { registerSpanLog, unregisterSpanLog } from "../../../../test-support/span-log.ts";
import { ingest } from "../ingest/ingest.ts";
import { retrieve } from "../retrieve/retrieve.ts";
import { createMemoryIndex } from "../retrieve/memory-index.ts";
import { unwrap } from "../../../kernel/result.ts";
import { verifyGrounding } from "../verify/verify-grounding.ts";

const log = registerSpanLog();
beforeEach(async () => log.forget());
afterAll(() => unregisterSpanLog());

test("operations called alone are spans with measured durations", async () => {
  const read = unwrap(await ingest({ name: "receipt.txt", text: "Total: $9.00 on Monday." }));
  const index = unwrap(await createMemoryIndex(read.chunks));
  await retrieve("What is the total?", { index });
  await verifyGrounding("The total is $9.", [{ document: "receipt", text: "Total: $9.00" }]);
  await ingest({ name: "empty.txt", text: "" });
  expect(
    log.tree().map((line) => line.replace(/"vera.duration_ms":\d+/, '"vera.duration_ms":…')),
  ).toMatchInlineSnapshot(`
    [
      "vera.ingest {"vera.chunks":1,"vera.document_id":"doc-408ae7aa03b0bd03","vera.duration_ms":…,"vera.operation":"ingest","vera.status":"ok"}",
      "vera.ingest {"error.type":"empty_document","vera.duration_ms":…,"vera.operation":"ingest","vera.status":"error"} ERROR empty_document",
      "vera.retrieve {"vera.duration_ms":…,"vera.grounding_score":1,"vera.hops":1,"vera.operation":"retrieve","vera.passages":1,"vera.phase":"retrieval","vera.status":"ok"}",
      "vera.verify {"vera.duration_ms":…,"vera.grounding_score":0.967742,"vera.label":"grounded","vera.operation":"verify","vera.phase":"grounding","vera.status":"ok"}",
    ]
  `);
  expect((await log.metrics()).map((line) => line.replace(/: \d.*/, ""))).toMatchInlineSnapshot(`
    [
      "vera.operation.duration {"vera.operation":"ingest","vera.status":"error"}",
      "vera.operation.duration {"vera.operation":"ingest","vera.status":"ok"}",
      "vera.operation.duration {"vera.operation":"retrieve","vera.status":"ok"}",
      "vera.operation.duration {"vera.operation":"verify","vera.status":"ok"}",
    ]
  `);
});
