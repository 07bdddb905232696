import { rmSync } from "node:fs";
import { join } from "node:path";
import { listNames, readText } from "../../../kernel/files/read.ts";
import { type GroundSettings, NO_SETTINGS, parseSettings, serializeSettings } from "../state/ground-settings.ts";
import { type StoredDocument, parseStoredDocument } from "../state/stored-document.ts";
import { byCodeUnits } from "../../../kernel/text.ts";
import type { ProjectPaths } from "../../../kernel/files/project-paths.ts";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { makeDirectory, writeAtomically, makeStateDirectory } from "../../../kernel/files/durable.ts";

/** Ingested documents, and the problems of unreadable ones. */
export interface GroundLibrary {
  /** Sorted by name, then id. */
  readonly documents: readonly StoredDocument[];
  readonly problems: readonly string[];
}

// One file per document, so that concurrent ingests don't overwrite each other.
const directoryOf = ({ state }: ProjectPaths): string => join(state, "grounding", "documents");
const settingsPath = ({ state }: ProjectPaths): string => join(state, "grounding", "settings.json");

/** Reads the documents of a project. A damaged file is a problem; the other documents remain usable. */
export function readLibrary(paths: ProjectPaths): GroundLibrary {
  const [documents, problems]: [StoredDocument[], string[]] = [[], []];
  for (const name of listNames(directoryOf(paths)).filter((each) => /^doc-[0-9a-f]{16}\.json$/.test(each))) {
    const path = join(directoryOf(paths), name);
    const parsed = parseStoredDocument(readText(path) ?? "");
    if (parsed.ok) documents.push(parsed.value);
    else problems.push(`Cannot read ${path}: ${parsed.error}. Delete it, and ingest the document again.`);
  }
  return {
    documents: documents.toSorted(
      (left, right) => byCodeUnits(left.name, right.name) || byCodeUnits(left.id, right.id),
    ),
    problems,
  };
}

/** Stores a document, and deletes an earlier version from the same path. */
export function storeDocument(paths: ProjectPaths, document: StoredDocument): void {
  makeStateDirectory(paths);
  makeDirectory(directoryOf(paths));
  writeAtomically(join(directoryOf(paths), `${document.id}.json`), JSON.stringify(document));
  for (const { id, source } of readLibrary(paths).documents) {
    if (source === document.source && id !== document.id)
      rmSync(join(directoryOf(paths), `${id}.json`), { force: true });
  }
}

/** Deletes the documents with the given ids or names, and returns their number; if one is unknown, deletes none. */
export function deleteDocuments(paths: ProjectPaths, idsOrNames: readonly string[]): Result<number, string[]> {
  const { documents } = readLibrary(paths);
  const isNamed = ({ id, name }: StoredDocument, wanted: string): boolean => id === wanted || name === wanted;
  const unknown = idsOrNames.filter((wanted) => !documents.some((document) => isNamed(document, wanted)));
  if (unknown.length > 0) return err(unknown);
  const chosen = documents.filter((document) => idsOrNames.some((wanted) => isNamed(document, wanted)));
  for (const { id } of chosen) rmSync(join(directoryOf(paths), `${id}.json`), { force: true });
  return ok(chosen.length);
}

/** Reads the settings of a project, or returns a description of the problem. */
export function readSettings(paths: ProjectPaths): Result<GroundSettings, string> {
  const path = settingsPath(paths);
  const text = readText(path);
  if (text === undefined) return ok(NO_SETTINGS);
  const parsed = parseSettings(text);
  return parsed.ok ? parsed : err(`Cannot read ${path}: ${parsed.error}. Correct it, or delete it for the defaults.`);
}

/** Stores the settings of a project. */
export function storeSettings(paths: ProjectPaths, settings: GroundSettings): void {
  makeStateDirectory(paths);
  makeDirectory(join(paths.state, "grounding"));
  writeAtomically(settingsPath(paths), serializeSettings(settings));
}
