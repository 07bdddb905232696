import type { ReportCase, ReportChange, ReportFindings, ReportMiss, ReportTrials } from "../run-model.ts";
import { quote } from "../../base/text.ts";
import { counted } from "./wording.ts";

/**
 * Lines of a message, places of evidence, tolerated differences and unstable paths told before the rest is only
 * counted.
 */
const MAX_MESSAGE_LINES = 12;
const MAX_EVIDENCE = 3;
const MAX_SHOWN = 3;

/** One thing to tell of a case. Its texts are untrusted: each format escapes them. */
export type Detail =
  | { readonly kind: "cause"; readonly text: string }
  | { readonly kind: "sentence"; readonly text: string }
  | { readonly kind: "remark"; readonly text: string }
  | {
      readonly kind: "change";
      /** What stands before the path: an adapter, a rule that let it pass. */
      readonly lead: string;
      readonly change: ReportChange;
      /** Why it is told: it is what changed, it speaks for the cause, or a rule let it pass. */
      readonly role: "changed" | "evidence" | "tolerated";
    };

/** What is to be told of a case, in the order of telling, with at most `maxChanges` of its own changes. */
export function detailsOf(found: ReportCase, maxChanges: number): Detail[] {
  const { findings } = found;
  const missing = found.kind === "missing" ? [sentence(missingText(found))] : [];
  return findings === null
    ? missing
    : [...missing, ...reasons(findings), ...ends(findings), ...changes(findings, maxChanges), ...tail(findings)];
}

function missingText({ settled }: ReportCase): string {
  if (settled === "captured" || settled === "updated") return "there was no such baseline";
  return settled === "none"
    ? "there is no such baseline"
    : "there is no such baseline; what it came to waits for review";
}

function reasons({ trials, cause, miss }: ReportFindings): Detail[] {
  if (cause === null) return trialDetails(trials);
  // A request that nothing is recorded for is told with its changes: the same ones speak for the cause.
  const calls = miss === null ? cause.evidence.flatMap((one) => one.calls) : [];
  const places = calls.flatMap(({ adapter, changes: found }) => found.map((change) => evidence(`${adapter} `, change)));
  const inputs = cause.evidence
    .filter(({ kind }) => kind === "schema")
    .flatMap(({ changes: found }) => found.map((change) => evidence("", change)));
  return [
    ...trialDetails(trials),
    { kind: "cause", text: cause.line },
    ...folded([...places, ...inputs], MAX_EVIDENCE, "more in requests and answers"),
  ];
}

function trialDetails(trials: ReportTrials | null): Detail[] {
  if (trials === null) return [];
  const { run, clean, min, planned, interval, classes, unstable } = trials;
  const [low, high] = interval.map((share) => Math.round(share * 100));
  const seen = Object.entries(classes)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(", ");
  const head = `${clean} of ${run} trials clean, ${min} of ${planned} wanted (95 % interval ${low}–${high} %): ${seen}`;
  const paths = unstable
    .slice(0, MAX_SHOWN)
    .map(({ path, equal, of }) => `${path} ${equal}/${of}`)
    .join(", ");
  const rest = unstable.length > MAX_SHOWN ? ` and ${counted(unstable.length - MAX_SHOWN, "more path")}` : "";
  return unstable.length === 0 ? [sentence(head)] : [sentence(head), sentence(`as the baseline says: ${paths}${rest}`)];
}

function ends({ error, problem, miss, violations }: ReportFindings): Detail[] {
  return [
    ...(error === null ? [] : messageDetails(`${error.code}: ${error.message}`)),
    ...(problem === null ? [] : messageDetails(problem)),
    ...(miss === null
      ? []
      : [
          sentence(missText(miss)),
          ...folded(
            miss.changes.map((change) => evidence("", change)),
            MAX_EVIDENCE,
            "more in the request",
          ),
        ]),
    ...violations.map(({ path, kind, message }) => sentence(`${path}: ${message.replaceAll("\n", " ")} (${kind})`)),
  ];
}

function messageDetails(text: string): Detail[] {
  const lines = text.split("\n", MAX_MESSAGE_LINES + 1);
  const shown = lines.slice(0, MAX_MESSAGE_LINES).map(sentence);
  return lines.length > MAX_MESSAGE_LINES ? [...shown, remark("… and more lines")] : shown;
}

function missText({ adapter, reason, recorded, changes: found }: ReportMiss): string {
  const who = `adapter ${quote(adapter)}`;
  switch (reason) {
    case "unknown_adapter":
      return `${who} was called, but no call of it was recorded`;
    case "unknown_request":
      return `${who} was called with a request that was not recorded (${recorded} recorded for it)${found.length === 0 ? "" : "; the nearest differs:"}`;
    case "repeated":
      return `${who} was called again more often than recorded (${recorded} recorded for it)`;
    case "stream_exhausted":
      return `${who} was read past the end of its recorded stream`;
    case "hash_only":
      return `${who} was called, but of its recorded answer only the hash was kept`;
  }
}

function changes({ changes: found, more }: ReportFindings, max: number): Detail[] {
  const shown = found.slice(0, max).map((change): Detail => ({ kind: "change", lead: "", change, role: "changed" }));
  const rest = found.length - shown.length + more;
  return rest === 0 ? shown : [...shown, remark(`… and ${counted(rest, "more change")}`)];
}

function tail({ tolerated, unused }: ReportFindings): Detail[] {
  const names = [...new Set(unused)].slice(0, MAX_SHOWN).join(", ");
  const calls = unused.length === 1 ? "1 recorded call was not made" : `${unused.length} recorded calls were not made`;
  return [
    ...folded(
      tolerated.map(
        (change): Detail => ({ kind: "change", lead: `tolerated (${change.label}): `, change, role: "tolerated" }),
      ),
      MAX_SHOWN,
      "more tolerated",
    ),
    ...(unused.length === 0 ? [] : [remark(`${calls}: ${names}`)]),
  ];
}

function folded(details: readonly Detail[], max: number, more: string): Detail[] {
  const rest = details.length - max;
  return rest > 0 ? [...details.slice(0, max), remark(`… and ${rest} ${more}`)] : [...details];
}

function evidence(lead: string, change: ReportChange): Detail {
  return { kind: "change", lead, change, role: "evidence" };
}

function sentence(text: string): Detail {
  return { kind: "sentence", text };
}

function remark(text: string): Detail {
  return { kind: "remark", text };
}
