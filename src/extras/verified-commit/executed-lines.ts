import { realpathSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { listNames, readText } from "../../kernel/files/read.ts";
import { isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { child, list, parseSource } from "../../kernel/syntax.ts";
import type { GateFinding } from "./check-diff.ts";
import { type ChangedCode, IDLE } from "./mutants.ts";

/** Files that Node can load. */
const LOADABLE = /(?<!\.d)\.[cm]?[jt]s$/;
/** Text of a line without a word or value. */
const BRACKETS = /^[\s{}()[\];,]*$/;
/** Number of findings of a file. */
const MAX_FINDINGS = 3;

/** Execution of one script, in all processes that loaded it. */
interface Script {
  /** 1 for each character that was executed. */
  readonly executed: Uint8Array;
  /** Map to the source, and lengths of the script's lines, if Node compiled it. */
  readonly map: { readonly source: SourceMap; readonly lengths: readonly number[] } | undefined;
}

/** The scripts that tests loaded. */
export type Execution = ReadonlyMap<string, Script>;

/** Reads what Node writes into the folder NODE_V8_COVERAGE when a process ends. Omits packages and Node's own code. */
export function executionIn(folder: string): Execution {
  const scripts = new Map<string, Script>();
  // Without a folder, no process wrote a report. One that was killed leaves half a file.
  for (const name of listNames(folder)) {
    const report = parsedJson(readText(join(folder, name)) ?? "");
    const maps = isPlainObject(report) && isPlainObject(report["source-map-cache"]) ? report["source-map-cache"] : {};
    for (const script of listOf(isPlainObject(report) ? report["result"] : undefined)) {
      const url = String(script["url"]);
      const [file = ""] = url.split("?");
      if (!file.startsWith("file:") || file.includes("/node_modules/")) continue;
      scripts.set(file, { executed: merged(executedOf(script), scripts.get(file)?.executed), map: mapOf(maps[url]) });
    }
  }
  return scripts;
}

function merged(executed: Uint8Array, other: Uint8Array = executed): Uint8Array {
  return other.length === executed.length ? executed.map((is, at) => is | (other[at] ?? 0)) : executed;
}

/** Returns true if tests loaded a file of a folder. */
export function isLoaded(execution: Execution, folder: string, path: string): boolean {
  return execution.has(urlOf(folder, path));
}

/** Finds changed code that no test executed. Lines that moved aren't changed. */
export function unexecutedCode(
  execution: Execution,
  folder: string,
  files: readonly ChangedCode[],
): readonly GateFinding[] {
  const known = new Set(files.flatMap(({ before }) => before.split("\n").map((line) => line.trim())));
  return files.flatMap(({ path, after }): readonly GateFinding[] => {
    const lines = after.split("\n");
    const isNew = (line: string): boolean => !known.has(line.trim()) && !IDLE.test(line) && !BRACKETS.test(line);
    if (!LOADABLE.test(path) || !lines.some(isNew)) return [];
    const script = execution.get(urlOf(folder, path));
    if (script === undefined)
      return hasOnlyTypes(path, after)
        ? []
        : [{ rule: "untested-code", path, line: undefined, detail: "no test loads this file, whose code changed" }];
    const idle = unexecutedLines(script, lines);
    const starts = [...idle].filter(
      (at) => isNew(lines[at] ?? "") && !(idle.has(at - 1) && isNew(lines[at - 1] ?? "")),
    );
    return starts.slice(0, MAX_FINDINGS).map((at) => {
      const detail = `no test executes this code: ${(lines[at] ?? "").trim()}`;
      return { rule: "untested-code", path, line: at + 1, detail };
    });
  });
}

function urlOf(folder: string, path: string): string {
  return pathToFileURL(join(realpathSync(folder), path)).href;
}

/** Indexes of lines with code that wasn't executed. */
function unexecutedLines({ executed, map }: Script, lines: readonly string[]): ReadonlySet<number> {
  const rows = map?.lengths ?? lines.map(({ length }) => length);
  let start = 0;
  const unexecuted = rows.flatMap((length, row) => {
    const offset = start;
    start += length + 1;
    return Array.from({ length }, (_, column) => ({ row, column })).filter(
      ({ column }) => executed[offset + column] === 0,
    );
  });
  const isBracket = (row: number, column: number): boolean => BRACKETS.test(lines[row]?.[column] ?? "");
  if (map === undefined) return new Set(unexecuted.flatMap(({ row, column }) => (isBracket(row, column) ? [] : [row])));
  return new Set(
    unexecuted.flatMap(({ row, column }) => {
      const entry = map.source.findEntry(row, column);
      const isStart = "originalLine" in entry && entry.generatedLine === row && entry.generatedColumn === column;
      return isStart && !isBracket(entry.originalLine, entry.originalColumn) ? [entry.originalLine] : [];
    }),
  );
}

/** Counts of a script: V8 lists inner functions and blocks after those that contain them. */
function executedOf(script: Readonly<Record<string, unknown>>): Uint8Array<ArrayBuffer> {
  const ranges = listOf(script["functions"]).flatMap((each) => listOf(each["ranges"]));
  const executed = new Uint8Array(Math.max(0, ...ranges.map((range) => Number(range["endOffset"]))));
  for (const { startOffset, endOffset, count } of ranges)
    executed.fill(count === 0 ? 0 : 1, Number(startOffset), Number(endOffset));
  return executed;
}

function mapOf(cached: unknown): Script["map"] {
  if (!isPlainObject(cached) || !isSourceMap(cached["data"])) return undefined;
  const { lineLengths } = cached;
  const lengths = Array.isArray(lineLengths) ? lineLengths.map(Number) : [];
  return { source: new SourceMap(cached["data"]), lengths };
}

function isSourceMap(value: unknown): value is SourceMapPayload {
  return isPlainObject(value) && typeof value["mappings"] === "string";
}

/** A file of types disappears when it's loaded. */
function hasOnlyTypes(path: string, text: string): boolean {
  const parsed = parseSource(text, path);
  return (
    parsed.ok &&
    list(parsed.value.program, "body").every((node) => {
      const type = (child(node, "declaration") ?? node).type;
      return /^(?:TS(?:Interface|TypeAlias)Declaration|ImportDeclaration)$/.test(type) || node["exportKind"] === "type";
    })
  );
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}
