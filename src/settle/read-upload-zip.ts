import { unzipSync } from "fflate";
import { quote, truncate } from "../base/text.ts";
import { UploadBudget, type UploadLimits, UploadRefused, type UploadedFile } from "./upload.ts";

const PROPOSAL = /^((?:[^/]+\/){0,3})pending\/([0-9a-f]{12}\.json)$/;

/**
 * Reads the proposals of a zip archive in memory: nothing is unpacked to disk, only names of proposals are inflated,
 * and only into the room that the limits leave. Throws {@link UploadRefused} for an archive that no tool of good will
 * makes.
 */
export function readUploadZip(bytes: Uint8Array, limits: UploadLimits): UploadedFile[] {
  const budget = new UploadBudget(limits);
  const seen = new Set<string>();
  const admit = ({ name, originalSize }: { readonly name: string; readonly originalSize: number }): boolean => {
    budget.entry();
    refuseName(name);
    if (!PROPOSAL.test(name)) return false;
    if (seen.has(name)) throw new UploadRefused(`it has ${shown(name)} twice`);
    seen.add(name);
    // What is inflated has the declared size as its room: a false one cuts the text off, and it is refused as damaged.
    budget.file(name, originalSize);
    return true;
  };
  return Object.entries(inflate(bytes, admit)).map(([entry, content]) => {
    const [, state = "", name = ""] = PROPOSAL.exec(entry) ?? [];
    return { state: state.replace(/\/$/, ""), name, text: textOf(entry, content) };
  });
}

type Admit = NonNullable<NonNullable<Parameters<typeof unzipSync>[1]>["filter"]>;

function inflate(bytes: Uint8Array, filter: Admit): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter });
  } catch (thrown) {
    if (thrown instanceof UploadRefused) throw thrown;
    throw new UploadRefused("it is no zip archive, or a damaged one", { cause: thrown });
  }
}

/** Names are never used as paths here; one that tries to be more than a path tells what the archive is. */
function refuseName(name: string): void {
  const escapes =
    name.startsWith("/") ||
    name.includes("\\") ||
    name.includes("\0") ||
    /^[a-z]:/i.test(name) ||
    name.split("/").includes("..");
  if (escapes) throw new UploadRefused(`its entry ${shown(name)} would lie outside of it`);
}

function textOf(entry: string, content: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch (thrown) {
    throw new UploadRefused(`its entry ${shown(entry)} is no UTF-8 text`, { cause: thrown });
  }
}

function shown(name: string): string {
  return quote(truncate(name, 100));
}
