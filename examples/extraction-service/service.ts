/**
 * Stands for an extraction service in a process of its own, a Python one around LangExtract for example: answers in the
 * shape of its JSON, in another order and with other ids each time. `node service.ts` prints the address it listens at.
 */
import { randomBytes } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { json } from "node:stream/consumers";
import { z } from "zod";

const QUESTION = z.object({ text: z.string(), model_id: z.string() });

/** What the models know: the newer one sees conditions too, and spells units out. */
const CLASSES: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  "extract-1": { medication: /ibuprofen|paracetamol/g, dosage: /\d+ mg/g, frequency: /twice a day|at night/g },
  "extract-2": {
    medication: /ibuprofen|paracetamol/g,
    dosage: /\d+ mg/g,
    frequency: /twice a day|at night/g,
    condition: /fever/g,
  },
};

function extract({ text, model_id }: z.infer<typeof QUESTION>): object {
  const found = Object.entries(CLASSES[model_id] ?? {}).flatMap(([extraction_class, pattern]) =>
    [...text.matchAll(pattern)].map(({ 0: extraction_text, index: start_pos }) => ({
      extraction_class,
      extraction_text,
      char_interval: { start_pos, end_pos: start_pos + extraction_text.length },
      alignment_status: "match_exact",
      attributes: extraction_class === "dosage" ? { unit: model_id === "extract-1" ? "mg" : "milligram" } : {},
    })),
  );
  const order = found.toSorted(() => Math.random() - 0.5);
  const extractions = order.map((one, at) => ({
    ...one,
    extraction_index: at + 1,
    group_index: at,
    description: null,
  }));
  return { document_id: `doc_${randomBytes(4).toString("hex")}`, text, extractions };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const question = QUESTION.safeParse(await json(request));
  response.writeHead(question.success ? 200 : 422, { "content-type": "application/json" });
  response.end(JSON.stringify(question.success ? extract(question.data) : { detail: question.error.issues }));
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`);
});
