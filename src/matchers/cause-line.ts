import { escapeText, truncate } from "../base/text.ts";
import { formatPath } from "../diff/format-path.ts";
import { formatEntry } from "../diff/format-diff.ts";
import type { DiffEntry } from "../diff/types.ts";
import type { Cause, Evidence, RequestChange } from "../replay/cause.ts";

/** Characters of a value, and of the evidence for one cause. */
const MAX_VALUE = 40;
const MAX_EVIDENCE = 160;
/** Places named before the rest is only counted. */
const MAX_PLACES = 2;

/** One line on why a case changed: the cause, and what speaks for it. Safe to print. */
export function causeLine({ kind, evidence }: Cause): string {
  const told = evidence.map((one) => `${kind === "mixed" ? `${one.kind} ` : ""}(${truncate(escapeText(evidenceText(one, evidence)), MAX_EVIDENCE)})`);
  return `cause: ${kind === "mixed" ? "mixed: " : `${kind} `}${told.join(", ")}`.replaceAll("\n", " ");
}

function evidenceText(evidence: Evidence, all: readonly Evidence[]): string {
  switch (evidence.kind) {
    case "code":
      return codeText(evidence, all);
    case "prompt":
      return list(evidence.requests.map(requestText));
    case "model":
      return list([...evidence.requests.flatMap(({ adapter, entries }) => entries.map((entry) => `${adapter} ${formatEntry(entry, MAX_VALUE).trim()}`)), ...responseTexts(evidence)]);
    case "schema": {
      if (evidence.violations.length > 0) return `refuses what it took before: ${list(evidence.violations.map(({ path }) => formatPath(path)))}`;
      return evidence.entries.length === 0 ? "the stored input is parsed differently" : `the stored input is parsed differently: ${places(evidence.entries)}`;
    }
  }
}

function codeText({ entries, ended, unstable }: Extract<Evidence, { kind: "code" }>, all: readonly Evidence[]): string {
  if (ended !== undefined) return `with the recorded answers it ends otherwise: ${ended}`;
  if (unstable === true) return entries.length === 0 ? "differs from run to run on the same answers" : `differs from run to run on the same answers: ${places(entries)}`;
  return all.length === 1 ? "same requests, same responses, new output" : `with the recorded answers: ${places(entries)}`;
}

function requestText({ kind, adapter, entries }: RequestChange): string {
  switch (kind) {
    case "changed":
      return `${adapter} ${list(entries.map(({ path }) => formatPath(path)))} changed`;
    case "added":
      return `${adapter} is called more often`;
    case "dropped":
      return `${adapter} is called less often`;
  }
}

function responseTexts({ responses }: Extract<Evidence, { kind: "model" }>): string[] {
  return responses.length === 0 ? [] : [`same requests, other answers: ${list([...new Set(responses.map(({ adapter }) => adapter))])}`];
}

function places(entries: readonly DiffEntry[]): string {
  return list(entries.map((entry) => formatEntry(entry, MAX_VALUE).trim()));
}

function list(texts: readonly string[]): string {
  const rest = texts.length - MAX_PLACES;
  return rest > 0 ? `${texts.slice(0, MAX_PLACES).join(", ")} and ${rest} more` : texts.join(", ");
}
