import type { FieldLookup, SecretField } from "./field-names.ts";
import type { NamedField } from "./key-words.ts";
import { isCode, looksLikeCredential, looksLikeName, looksMadeUp, looksRandom } from "./secret-looks.ts";
import type { SecretSpan } from "./secret-spans.ts";

/** A value and its position in a text. */
interface Cell {
  readonly start: number;
  readonly text: string;
}

/**
 * Finds secrets whose name is the head of their column, or of the block that they are in: rows of CSV and Markdown, SQL
 * inserts, Secrets of Kubernetes.
 */
export function findInTables(text: string, names: readonly NamedField[], lookup: FieldLookup): readonly SecretSpan[] {
  if (names.length === 0) return [];
  const spans = text.includes("\n") ? columnSecrets(text, names, lookup) : [];
  if (text.includes("VALUES") || text.includes("values")) spans.push(...insertedSecrets(text, lookup));
  if (text.includes("ata:")) spans.push(...manifestSecrets(text));
  if (text.includes("s:")) spans.push(...groupSecrets(text));
  return spans;
}

const DELIMITERS = new Set(",;\t|");

/** The sign between a name and the next cell of its line, or the one before. */
function delimiterAt(text: string, { start, end }: NamedField): string | undefined {
  for (const character of [text[end], text[end + 1], text[start - 1], text[start - 2]])
    if (character !== undefined && DELIMITERS.has(character)) return character;
  return undefined;
}

/** The values below a name, if all lines have the same number of cells. */
function columnSecrets(text: string, names: readonly NamedField[], lookup: FieldLookup): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let from = 0;
  for (const name of names) {
    const { start, end } = name;
    const delimiter = start < from ? undefined : delimiterAt(text, name);
    if (delimiter === undefined) continue;
    let lineStart = text.lastIndexOf("\n", start) + 1;
    const columns = cellsOf(text, lineStart, delimiter);
    const fields = columns.map((cell) => columnField(cell.text, lookup));
    from = Math.max(lineEnd(text, lineStart), end);
    const isHead = columns.filter((cell) => cell.text !== "").length > 1 && fields.some((field) => field !== undefined);
    if (!isHead) continue;
    for (lineStart = from + 1; lineStart < text.length; lineStart = lineEnd(text, lineStart) + 1) {
      const cells = cellsOf(text, lineStart, delimiter);
      if (cells.length !== columns.length) break;
      from = lineStart;
      for (const [index, cell] of cells.entries()) spans.push(...spanOfCell(cell, fields[index]));
    }
  }
  return spans;
}

function columnField(name: string, lookup: FieldLookup): SecretField | undefined {
  const field = /^[\w .-]{1,64}$/.test(name) ? lookup(name) : undefined;
  return field?.secrecy === "container" ? undefined : field;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

function cellsOf(text: string, lineStart: number, delimiter: string): readonly Cell[] {
  const line = text.slice(lineStart, lineEnd(text, lineStart));
  let start = lineStart;
  return line.split(delimiter).map((cell) => {
    const plain = cell.trim().replace(/^["'`]|["'`]$/g, "");
    const at = start + (plain === "" ? 0 : cell.indexOf(plain));
    start += cell.length + 1;
    return { start: at, text: plain };
  });
}

function spanOfCell({ start, text }: Cell, field: SecretField | undefined): readonly SecretSpan[] {
  if (field === undefined || !looksLikeCredential(text) || isCode(text)) return [];
  // A column with the name of a secret also has passwords that people make up.
  if (looksLikeName(text) && !(field.secrecy === "always" && looksMadeUp(text))) return [];
  return [{ start, end: start + text.length, kind: field.kind }];
}

const INSERT = /insert into [\w."`[\]]{1,128}\s{0,8}\(([^()]{1,2048})\)\s{0,8}values\s{0,8}/gi;
const ROW = /\s{0,8},?\s{0,8}\(((?:'(?:[^'\n]|'')*'|[^()'])*)\)/y;
const SQL_VALUE = /\s*(?:'(?<single>(?:[^'\n]|'')*)'|"(?<double>[^"\n]*)"|[^,]+)[^,]*/dg;

/** The values of an SQL insert, by the names of its columns. */
function insertedSecrets(text: string, lookup: FieldLookup): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const { index, 0: insert, 1: columns = "" } of text.matchAll(INSERT)) {
    const kinds = columns
      .split(",")
      .map((column) => columnField(column.trim().replace(/^["'`[]|["'`\]]$/g, ""), lookup)?.kind);
    ROW.lastIndex = index + insert.length;
    for (let row = ROW.exec(text); row !== null; row = ROW.exec(text)) {
      const values = row[1] ?? "";
      spans.push(...insertedRow({ start: ROW.lastIndex - 1 - values.length, text: values }, kinds));
    }
  }
  return spans;
}

function insertedRow({ start, text }: Cell, kinds: readonly (string | undefined)[]): readonly SecretSpan[] {
  return [...text.matchAll(SQL_VALUE)].flatMap(({ indices }, column) => {
    const [from = 0, to = 0] = indices?.groups?.["single"] ?? indices?.groups?.["double"] ?? [];
    const [kind, secret] = [kinds[column], text.slice(from, to)];
    const isSecret = kind !== undefined && secret.length >= 6 && !/[«»]/.test(secret) && !isCode(secret);
    return isSecret ? [{ start: start + from, end: start + to, kind }] : [];
  });
}

const MANIFEST = /^[ \t]*kind:[ \t]*["']?Secret["']?[ \t]*\r?$/m;
const BLOCK = /^([ \t]*)(?:data|stringData):[ \t]*\r?\n((?:\1[ \t]+[^\r\n]*(?:\r?\n|$))+)/gm;
const GROUP = /^([ \t]*)(?:secrets|credentials|passwords):[ \t]*\r?\n((?:\1[ \t]+[^\r\n]*(?:\r?\n|$))+)/gm;
const ENTRY = /^[ \t]+["']?[\w.-]{1,128}["']?:[ \t]+["']?(?<secret>[^\s"'|>«][^\s"'«]{3,8191})/gm;

/** The entries of a Secret of Kubernetes, whatever their names are. */
function manifestSecrets(text: string): readonly SecretSpan[] {
  if (!MANIFEST.test(text)) return [];
  const spans: SecretSpan[] = [];
  let offset = 0;
  for (const part of text.split(/^(?=---)/m)) {
    if (MANIFEST.test(part)) spans.push(...entriesBelow(BLOCK, { start: offset, text: part }));
    offset += part.length;
  }
  return spans;
}

/** The random entries of a group of secrets in YAML, whatever their names are. */
function groupSecrets(text: string): readonly SecretSpan[] {
  return entriesBelow(GROUP, { start: 0, text }).filter(({ start, end }) => {
    const value = text.slice(start, end);
    return looksLikeCredential(value) && looksRandom(value);
  });
}

/** The entries that are indented below a line of a pattern, which has them as its second group. */
function entriesBelow(pattern: RegExp, { start, text }: Cell): readonly SecretSpan[] {
  return [...text.matchAll(pattern)].flatMap(({ index, 0: block, 2: entries = "" }) =>
    entriesOf({ start: start + index + block.length - entries.length, text: entries }),
  );
}

function entriesOf({ start, text }: Cell): readonly SecretSpan[] {
  return [...text.matchAll(ENTRY)].map(({ index, 0: entry, groups }) => {
    const end = start + index + entry.length;
    return { start: end - (groups?.["secret"] ?? "").length, end, kind: "secret" };
  });
}
