import { rmSync } from "node:fs";
import { join } from "node:path";
import { listNames, readText } from "../../../kernel/files/read.ts";
import { type GroundSettings, NO_SETTINGS, parseSettings, serializeSettings } from "../state/ground-settings.ts";
import { type StoredDocument, parseStoredDocument } from "../state/stored-document.ts";
import { byCodeUnits } from "../../../kernel/text.ts";
import type { Places } from "../../../kernel/files/places.ts";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { makeDirectory, writeAtomically, makeStateDirectory } from "../../../kernel/files/durable.ts";

/** The documents that can be asked, and what could not be read of them. */
export interface GroundLibrary {
  /** By name, then id. */
  readonly documents: readonly StoredDocument[];
  readonly problems: readonly string[];
}

// One file for each document: two that are ingested at once do not overwrite each other's.
const directoryOf = ({ state }: Places): string => join(state, "grounding", "documents");
const settingsPath = ({ state }: Places): string => join(state, "grounding", "settings.json");

/** Reads the documents of a project. A damaged file is a problem, and the others can still be asked. */
export function readLibrary(places: Places): GroundLibrary {
  const [documents, problems]: [StoredDocument[], string[]] = [[], []];
  for (const name of listNames(directoryOf(places)).filter((each) => /^doc-[0-9a-f]{16}\.json$/.test(each))) {
    const path = join(directoryOf(places), name);
    const parsed = parseStoredDocument(readText(path) ?? "");
    if (parsed.ok) documents.push(parsed.value);
    else problems.push(`Cannot read ${path}: ${parsed.error}. Delete it, and ingest the document again.`);
  }
  return {
    documents: documents.toSorted((one, other) => byCodeUnits(one.name, other.name) || byCodeUnits(one.id, other.id)),
    problems,
  };
}

/** Keeps a document. What was read at the same place before goes: its content is another by now. */
export function keepDocument(places: Places, document: StoredDocument): void {
  makeStateDirectory(places);
  makeDirectory(directoryOf(places));
  writeAtomically(join(directoryOf(places), `${document.id}.json`), JSON.stringify(document));
  for (const { id, source } of readLibrary(places).documents) {
    if (source === document.source && id !== document.id)
      rmSync(join(directoryOf(places), `${id}.json`), { force: true });
  }
}

/** Reads the settings of a project; those that cannot be read are told in words. */
export function readSettings(places: Places): Result<GroundSettings, string> {
  const path = settingsPath(places);
  const text = readText(path);
  if (text === undefined) return ok(NO_SETTINGS);
  const parsed = parseSettings(text);
  return parsed.ok ? parsed : err(`Cannot read ${path}: ${parsed.error}. Correct it, or delete it for the defaults.`);
}

/** Keeps the settings of a project. */
export function keepSettings(places: Places, settings: GroundSettings): void {
  makeStateDirectory(places);
  makeDirectory(join(places.state, "grounding"));
  writeAtomically(settingsPath(places), serializeSettings(settings));
}
