import { counted } from "../../grounding/checks/wording.ts";
import type { StoredDocument } from "../../grounding/state/stored-document.ts";
import { cliPlaces } from "../cli-places.ts";
import type { CommandInput } from "../command-input.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { fail, oneLine, say, sayJson, warn } from "../say.ts";
import { readLibrary } from "./ground-library.ts";

/** `veritest ground list`: the documents that can be asked; with `--details` what each is made of. */
export function listDocuments(input: CommandInput, io: CliIo): ExitCode {
  if (input.operands.length > 1) return fail(io, "ground list takes no operand. See: veritest ground --help");
  const { documents, problems } = readLibrary(cliPlaces(io));
  for (const problem of problems) warn(io, problem);
  if (input.flag("json")) sayJson(io, documents.map(factsOf));
  else if (documents.length === 0) say(io, ["No documents yet. Add one: npx veritest ground ingest <path>"]);
  else
    say(
      io,
      documents.flatMap((document) => [lineOf(document), ...(input.flag("details") ? detailsOf(document) : [])]),
    );
  return problems.length === 0 ? EXIT.clean : EXIT.usage;
}

function factsOf({ id, name, kind, pages, source, chunks }: StoredDocument): object {
  return { id, name, kind, pages, source, chunks: chunks.length, tokens: tokensOf({ chunks }) };
}

function lineOf({ id, name, kind, pages, chunks }: StoredDocument): string {
  const size = [...(kind === "pdf" ? [counted(pages, "page")] : []), counted(chunks.length, "chunk")];
  return oneLine(`${id}  ${name}  ${kind}, ${size.join(", ")}`);
}

function detailsOf({ source, chunks }: StoredDocument): string[] {
  const begins = (chunks[0]?.text ?? "").replaceAll(/\s+/g, " ").slice(0, 100);
  return [
    oneLine(`    read at  ${source}`),
    `    tokens   ${tokensOf({ chunks })} (estimated)`,
    oneLine(`    begins   ${begins}`),
  ];
}

function tokensOf({ chunks }: Pick<StoredDocument, "chunks">): number {
  return chunks.reduce((sum, { tokens }) => sum + tokens, 0);
}
