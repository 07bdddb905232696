import { z } from "zod";
import { err, ok } from "../../base/result.ts";
import type { Step } from "../../step/define-step.ts";
import { groundingError } from "../grounding-error.ts";
import type { IngestedDocument } from "../ingest/document.ts";
import { ingest } from "../ingest/ingest.ts";
import type { FlowAdapters, FlowSettings } from "./flow-options.ts";
import { phaseStep } from "./phase-step.ts";
import type { IngestState, QueryState } from "./vera-state.ts";
import { STATE_SCHEMAS } from "./vera-schemas.ts";

/** What the ingest phase reports of a document. */
export interface IngestReport {
  readonly documents: readonly { readonly id: string; readonly name: string; readonly chunks: number }[];
}

const output: z.ZodType<IngestReport, IngestReport> = z.object({
  documents: z.array(z.object({ id: z.string(), name: z.string(), chunks: z.int() })),
});

/** The phase that reads the documents. A document that cannot be read ends the flow; one given twice counts once. */
export function ingestPhase<A extends FlowAdapters>(settings: FlowSettings<A>): Step<IngestState, IngestReport, A> {
  return phaseStep({
    name: "ingest",
    input: STATE_SCHEMAS.ingest,
    output,
    async run({ question, documents }) {
      if (documents.length === 0)
        return err(
          groundingError({
            kind: "validation",
            code: "no_documents",
            message:
              'There is no document to answer from. Give documents, or leave the field out to search the adapter "index".',
            operation: "ingest",
          }),
        );
      const read = new Map<string, IngestedDocument>();
      const warnings: string[] = [];
      for (const input of documents) {
        const document = await ingest(input, settings.ingest);
        if (!document.ok) return document;
        const { id, name } = document.value;
        const before = read.get(id);
        if (before === undefined) read.set(id, document.value);
        else
          warnings.push(
            `The documents ${JSON.stringify(before.name)} and ${JSON.stringify(name)} have the same content; it is read once.`,
          );
      }
      const next: QueryState = {
        phase: "query",
        question,
        library: { kind: "chunks", chunks: [...read.values()].flatMap(({ chunks }) => chunks) },
      };
      return ok({
        output: { documents: [...read.values()].map(({ id, name, chunks }) => ({ id, name, chunks: chunks.length })) },
        next,
        warnings,
      });
    },
  });
}
