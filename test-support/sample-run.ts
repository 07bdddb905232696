import { buildRunModel } from "../src/reporter/build-run-model.ts";
import type { RunModel } from "../src/explain/run-model.ts";
import {
  NO_FINDINGS,
  type ReportCase,
  type ReportChange,
  type ReportRow,
  type ReportValue,
} from "../src/explain/report-case.ts";
import { sampleGrid } from "./sample-grid.ts";

const PARTS: readonly ReportChange["part"][] = ["input", "output", "commands", "events", "request", "response"];
const PROMPT =
  "Extract every claim of the document as JSON. Give each claim an id, its text and your confidence from 0 to 1.";

/**
 * A run with every class of verdict, every cause, and every kind of finding: what each format's golden test is made of.
 */
export function sampleRun(): RunModel {
  return buildRunModel({
    startedAt: "2026-01-02T03:04:05.678Z",
    durationMs: 4_210,
    environment: {
      veritest: "0.1.0",
      runner: { name: "vitest", version: "5.1.1" },
      node: "24.0.0",
      platform: "linux-x64",
      ci: true,
      adapterMode: "live",
      shard: null,
    },
    applied: { receipt: null, because: ["1 test file failed."] },
    problems: [],
    cases: [...changedCases(), ...stoppedCases(), ...quietCases()],
  });
}

/** A read that both runs made. */
function sameCall(text: string): ReportRow {
  return { kind: "same", role: "read", baseline: text, now: text };
}

function changedCases(): ReportCase[] {
  const claims = "steps/__baselines__/extract-claims";
  return [
    sampleCase("extract-claims", `${claims}/eight-claims-19a63858.json`, {
      kind: "value_changed",
      updateState: "review",
      findings: {
        ...NO_FINDINGS,
        cause: {
          kind: "code",
          line: "cause: code (same requests, same responses, new output)",
          evidence: [
            { kind: "code", calls: [], changes: [changed("output claims.c3.confidence", 0.9, 0.7)], violations: [] },
          ],
        },
        changes: [changed("output claims.c3.confidence", 0.9, 0.7)],
      },
    }),
    sampleCase("extract-claims", `${claims}/long-summary-0badcafe.json`, {
      kind: "value_changed",
      source: "live",
      usage: { calls: 1, inputTokens: 812, outputTokens: 240 },
      findings: {
        ...NO_FINDINGS,
        cause: {
          kind: "prompt",
          line: "cause: prompt (llm.complete messages[0].content changed)",
          evidence: [
            {
              kind: "prompt",
              calls: [
                {
                  adapter: "llm.complete",
                  kind: "changed",
                  changes: [
                    changed(
                      "request messages[0].content",
                      PROMPT,
                      PROMPT.replace("every claim", "the three most important claims"),
                    ),
                  ],
                },
              ],
              changes: [],
              violations: [],
            },
          ],
        },
        changes: [
          changed(
            "output summary",
            "The report names eight claims, of which three are supported by a source.",
            "The report names three claims, all of which are supported by a source.",
          ),
          {
            part: "output",
            path: "claims.c4",
            before: { id: "c4", text: "Rain fell on 12 days.", confidence: 0.8 },
            cut: false,
          },
          {
            part: "output",
            path: "claims.c9",
            after: { id: "c9", text: "Snow fell on 2 days.", confidence: 0.6 },
            cut: false,
          },
        ],
        more: 2,
        tolerated: [{ ...changed("output score", 0.91, 0.92), rule: "score", label: "within(0.05)" }],
      },
    }),
    sampleCase("route-ticket", "steps/__baselines__/route-ticket/refund-7d1f00aa.json", {
      kind: "commands_changed",
      source: "live",
      usage: { calls: 10, inputTokens: 4_000, outputTokens: 900 },
      findings: {
        ...NO_FINDINGS,
        cause: {
          kind: "model",
          line: "cause: model (same requests, different responses: llm.complete)",
          evidence: [
            {
              kind: "model",
              calls: [
                {
                  adapter: "llm.complete",
                  kind: "answered",
                  changes: [changed("response content", "Refund it.", "Escalate it.")],
                },
              ],
              changes: [],
              violations: [],
            },
          ],
        },
        changes: [changed("commands 0.type", "refund", "escalate")],
        trials: {
          planned: 10,
          min: 9,
          run: 10,
          clean: 4,
          interval: [0.17, 0.69],
          classes: { clean: 4, commands_changed: 6 },
          unstable: [
            { path: "summary", equal: 4, of: 10 },
            { path: "total", equal: 9, of: 10 },
          ],
        },
      },
    }),
    sampleCase("assist", "steps/__baselines__/assist/close-the-account-5c1d2e3f.json", {
      kind: "calls_changed",
      source: "live",
      findings: {
        ...NO_FINDINGS,
        cause: {
          kind: "model",
          line: "cause: model (call 2 responded differently: now calls tools.deleteUser)",
          evidence: [{ kind: "model", calls: [], changes: [], violations: [] }],
        },
        changes: [
          {
            part: "calls",
            path: "tools.deleteUser",
            after: { id: 7 },
            cut: false,
            call: { kind: "added", role: "write", times: 1, movedTo: null },
          },
          {
            part: "calls",
            path: "tools.lookup: city",
            before: "Oslo",
            after: "Bergen",
            cut: false,
            call: { kind: "changed", role: "read", times: 1, movedTo: null },
          },
          {
            part: "calls",
            path: "tools.notify",
            before: { to: "ann" },
            cut: false,
            call: { kind: "removed", role: "write", times: 2, movedTo: null },
          },
          {
            part: "calls",
            path: "tools.charge",
            before: "after tools.reserve",
            after: "before tools.reserve",
            cut: false,
            call: { kind: "moved", role: "write", times: 1, movedTo: "before tools.reserve" },
          },
        ],
        trajectory: [
          ...["Account", "Orders", "Invoices", "Tickets"].map((what) => sameCall(`tools.get${what}({"id":7})`)),
          {
            kind: "changed",
            role: "read",
            baseline: 'tools.lookup({"city":"Oslo"})',
            now: 'tools.lookup({"city":"Bergen"})',
          },
          { kind: "removed", role: "write", baseline: 'tools.notify({"to":"ann"})', now: null },
          { kind: "removed", role: "write", baseline: 'tools.notify({"to":"ann"})', now: null },
          { kind: "moved", role: "write", baseline: 'tools.charge({"amount":40})', now: 'tools.charge({"amount":40})' },
          { ...sameCall('tools.reserve({"seats":2})'), role: "write" },
          { kind: "added", role: "write", baseline: null, now: 'tools.deleteUser({"id":7})' },
        ],
      },
    }),
    sampleCase("book-trip", "steps/__baselines__/book-trip/faults-6e5d4c3b.json", {
      kind: "value_changed",
      findings: { ...NO_FINDINGS, grid: sampleGrid() },
    }),
    sampleCase("route-ticket", "steps/__baselines__/route-ticket/escalation-3b8e07aa.json", {
      kind: "events_changed",
      updateState: "updated",
      labels: [],
      source: "recorded",
      findings: {
        ...NO_FINDINGS,
        changes: [{ part: "events", path: "[1].payload.amount", before: 9, after: 900, cut: false }],
      },
    }),
    sampleCase("extract-receipt", "steps/__baselines__/extract-receipt/receipt-042-9f31c2d8.json", {
      kind: "schema_violation",
      findings: {
        ...NO_FINDINGS,
        cause: {
          kind: "schema",
          line: "cause: schema (rejects an input that it accepted before)",
          evidence: [
            {
              kind: "schema",
              calls: [],
              changes: [],
              violations: [{ path: "total", kind: "type", message: "Invalid input: expected number, received string" }],
            },
          ],
        },
        violations: [{ path: "total", kind: "type", message: "Invalid input: expected number, received string" }],
        changes: [changed("output total", 9, "9.00")],
      },
    }),
  ];
}

function stoppedCases(): ReportCase[] {
  return [
    sampleCase("extract-receipt", "steps/__baselines__/extract-receipt/receipt-043-00aa11bb.json", {
      kind: "request_changed",
      findings: {
        ...NO_FINDINGS,
        cause: {
          kind: "mixed",
          line: "cause: mixed: prompt (llm.complete temperature changed), code (it fails with the recorded responses: no_total: there is none)",
          evidence: [
            {
              kind: "prompt",
              calls: [{ adapter: "llm.complete", kind: "changed", changes: [changed("request temperature", 0, 0.5)] }],
              changes: [],
              violations: [],
            },
            { kind: "code", calls: [], changes: [], violations: [] },
          ],
        },
        unrecorded: {
          adapter: "llm.complete",
          reason: "unknown_request",
          recorded: 2,
          changes: [changed("request temperature", 0, 0.5)],
        },
        unused: ["llm.complete", "search.find"],
      },
    }),
    sampleCase("extract-receipt", "steps/__baselines__/extract-receipt/receipt-044-22cc33dd.json", {
      kind: "failed",
      findings: {
        ...NO_FINDINGS,
        error: {
          code: "rate_limit",
          message: "The provider asked to wait.\nTry again in 20 s.",
          at: "src/extract-receipt.ts:42:11",
        },
        input: { file: "receipt-044.pdf", pages: 2, customer: "«redacted:email#1»" },
      },
    }),
    sampleCase("extract-receipt", "steps/__baselines__/extract-receipt/receipt-045-44ee55ff.json", {
      kind: "broken",
      findings: {
        ...NO_FINDINGS,
        problem: "Cannot read receipt-045-44ee55ff.json: it holds the marks of a merge conflict (line 12).",
      },
    }),
  ];
}

function quietCases(): ReportCase[] {
  return [
    sampleCase("extract-receipt", "steps/__baselines__/extract-receipt/receipt-046-66006611.json", { kind: "missing" }),
    sampleCase("extract-receipt", "steps/__baselines__/extract-receipt/receipt-047-77007711.json", {
      kind: "missing",
      updateState: "pending",
    }),
    sampleCase("extract-receipt", "steps/__baselines__/extract-receipt/receipt-048-88008811.json", {
      kind: "missing",
      updateState: "captured",
    }),
    sampleCase("extract-receipt", "steps/__baselines__/extract-receipt/receipt-049-99009911.json", {
      kind: "value_changed",
      updateState: "updated",
      findings: { ...NO_FINDINGS, changes: [changed("output date", "2026-01-01", "2026-01-02")] },
    }),
    sampleCase("extract-receipt", "steps/__baselines__/extract-receipt/receipt-050-aa00aa11.json", {
      kind: "obsolete",
      test: null,
    }),
    sampleCase("extract-receipt", "steps/__baselines__/extract-receipt/receipt-051-bb00bb11.json", {
      kind: "clean",
      findings: { ...NO_FINDINGS, unused: ["search.find"] },
    }),
    sampleCase("route-ticket", "steps/__baselines__/route-ticket/hello-cc00cc11.json", { kind: "clean" }),
  ];
}

type Given = Pick<ReportCase, "kind"> & Partial<ReportCase>;

/** A case as a run has it, with what is given in place of the usual. */
export function sampleCase(step: string, baseline: string, given: Given): ReportCase {
  const test = { file: `steps/${step}.test.ts`, name: `${step} > stays as it is`, line: 12 };
  return {
    step,
    baseline,
    labels: ["receipts"],
    test,
    updateState: "none",
    source: "recorded",
    durationMs: 3,
    usage: null,
    findings: null,
    ...given,
  };
}

/** `at` is the part and the path below it. */
function changed(at: `${ReportChange["part"]} ${string}`, before: ReportValue, after: ReportValue): ReportChange {
  const part = PARTS.find((name) => at.startsWith(`${name} `)) ?? "output";
  return { part, path: at.slice(part.length + 1), before, after, cut: false };
}
