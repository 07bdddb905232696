import { NO_FINDINGS, type ReportCase, type ReportChange, type ReportFindings } from "../src/explain/report-case.ts";
import type { RunModel } from "../src/explain/run-model.ts";
import { buildRunModel } from "../src/reporter/build-run-model.ts";
import { sampleCase, sampleRun } from "./sample-run.ts";

/** Mail of a customer, as a step gets it. */
export const MAIL =
  "Hello,\nmy order 1005 came broken.\nThe lamp has a crack.\nI don't want a new one.\nPlease send the money back.\nMy card ends in 4242.\nThanks,\nAnn";

const SUMMARY = "The customer reports that the order arrived late and that one of the two items was missing.";

/**
 * A run of 40 baselines with 21 changes, all pending: a new write and a new command among eight prices without a
 * currency, six reworded summaries, three other categories, a failed step and a schema error.
 */
export function sampleReview({ times = 1 }: { readonly times?: number } = {}): RunModel {
  const cases = Array.from({ length: times }, (_, at) => changedCases(at)).flat();
  const clean = Array.from({ length: 19 * times }, (_, at) =>
    reviewCase("extract-price", `clean ${at + 1}`, { kind: "clean", updateState: "none", findings: null }),
  );
  return buildRunModel({ ...sampleRun(), applied: null, cases: [...cases, ...clean] });
}

function changedCases(at: number): ReportCase[] {
  const tail = at === 0 ? "" : ` ${at}`;
  return [
    reviewCase("answer-mail", `refunds a broken lamp${tail}`, { kind: "calls_changed", findings: newWrite() }),
    reviewCase("route-ticket", `sends a complaint to a person${tail}`, {
      kind: "commands_changed",
      findings: found({
        changes: [
          {
            ...changed("[1]", undefined, { type: "emit", topic: "account.closed", payload: { account: 7 } }),
            part: "commands",
          },
        ],
      }),
    }),
    ...numbered(8, (index) =>
      reviewCase("extract-price", `reads invoice ${index}${tail}`, {
        kind: "value_changed",
        findings: found({ changes: [changed("currency", "EUR", null)], cause: cause("model") }),
      }),
    ),
    ...numbered(6, (index) =>
      reviewCase("summarise-ticket", `keeps what ticket ${index} asks for${tail}`, {
        kind: "value_changed",
        findings: found({
          changes: [
            changed("summary", `${index}: ${SUMMARY}`, `${index}: ${SUMMARY.replace("arrived late", "never arrived")}`),
          ],
          cause: cause("prompt"),
        }),
      }),
    ),
    ...numbered(3, (index) =>
      reviewCase("classify-mail", `files mail ${index}${tail}`, {
        kind: "value_changed",
        findings: found({ changes: [changed("category", "billing", "general")] }),
      }),
    ),
    reviewCase("extract-price", `reads a scan${tail}`, {
      kind: "failed",
      findings: found({ error: { code: "no_text", message: "The scan has no text.", at: "src/extract.ts:12:9" } }),
    }),
    reviewCase("extract-price", `reads a total${tail}`, {
      kind: "schema_violation",
      findings: found({
        violations: [{ path: "total", kind: "type", message: "Invalid input: expected number, received string" }],
        changes: [changed("total", 9, "9.00")],
      }),
    }),
  ];
}

function newWrite(): ReportFindings {
  const read = 'tools.order({"id":1005})';
  return found({
    cause: cause("model"),
    changes: [
      {
        part: "calls",
        path: "tools.refund",
        after: { order: 1005, amount: 480 },
        cut: false,
        call: { kind: "added", role: "write", times: 1, movedTo: null },
      },
    ],
    trajectory: [
      { kind: "same", role: "read", baseline: read, now: read },
      { kind: "added", role: "write", baseline: null, now: 'tools.refund({"order":1005,"amount":480})' },
    ],
  });
}

function found(findings: Partial<ReportFindings>): ReportFindings {
  return { ...NO_FINDINGS, input: { from: "ann@example.org", mail: MAIL }, ...findings };
}

function cause(kind: "model" | "prompt"): ReportFindings["cause"] {
  const line = {
    model: "cause: model (same requests, different responses: llm.complete)",
    prompt: "cause: prompt (llm.complete messages[0].content changed)",
  }[kind];
  return { kind, line, evidence: [] };
}

function changed(path: string, before: ReportChange["before"], after: ReportChange["after"]): ReportChange {
  return { part: "output", path, ...(before === undefined ? {} : { before }), after, cut: false };
}

function numbered(count: number, make: (index: number) => ReportCase): ReportCase[] {
  return Array.from({ length: count }, (_, index) => make(index + 1));
}

function reviewCase(step: string, name: string, given: Pick<ReportCase, "kind"> & Partial<ReportCase>): ReportCase {
  const file = `${name.replaceAll(" ", "-")}-${step.length}${name.length}c0ffee.json`;
  return sampleCase(step, `steps/__baselines__/${step}/${file}`, {
    updateState: "review",
    test: { file: `steps/${step}.test.ts`, name: `${step} > ${name}`, line: 12 },
    ...given,
  });
}
