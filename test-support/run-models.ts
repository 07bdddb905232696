import * as fc from "fast-check";
import { unwrap } from "../src/kernel/result.ts";
import { SEVERITY, type VerdictClass } from "../src/check/verdict.ts";
import type { CauseKind } from "../src/check/cause/cause.ts";
import { buildRunModel } from "../src/reporter/build-run-model.ts";
import { parseRunModel } from "../src/reporter/parse-run-model.ts";
import type { RunModel } from "../src/explain/run-model.ts";
import type {
  ReportCall,
  ReportCase,
  ReportCause,
  ReportChange,
  ReportEvidence,
  ReportFindings,
  ReportGrid,
  ReportGridCell,
  ReportRow,
  ReportUnrecordedRequest,
  ReportPart,
  ReportUpdateState,
  ReportTolerated,
  ReportTrials,
  ReportViolation,
} from "../src/explain/report-case.ts";
import { anyText, jsonValue } from "./arbitraries.ts";
import { HOSTILE_TEXTS } from "./hostile-texts.ts";
import { sampleRun } from "./sample-run.ts";

const KINDS: readonly VerdictClass[] = [
  "broken",
  "failed",
  "schema_violation",
  "request_changed",
  "commands_changed",
  "calls_changed",
  "events_changed",
  "value_changed",
  "missing",
  "obsolete",
  "clean",
];
const CAUSES: readonly CauseKind[] = ["code", "prompt", "model", "schema"];
const PARTS: readonly ReportPart[] = ["input", "output", "commands", "events", "calls", "request", "response"];
const SETTLED: readonly ReportUpdateState[] = ["none", "captured", "updated", "removed", "pending", "review"];

/** Hostile texts of a size that a thousand runs can bear: the two huge ones are tried by themselves. */
const TEXTS = Object.values(HOSTILE_TEXTS).filter((text) => text.length < 10_000);

/** Any text, hostile ones often. */
export function reportText(): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom(...TEXTS), anyText(), fc.lorem());
}

/** What models are made with. */
export interface RunModelOptions {
  readonly maxCases?: number;
  /** False for cases without findings, which are most of the work. */
  readonly findings?: boolean;
}

/** Models of runs with any classes, causes and texts; counts and order as they are made for real runs. */
export function runModels({ maxCases = 6, findings: told = true }: RunModelOptions = {}): fc.Arbitrary<RunModel> {
  return fc
    .record({
      cases: fc.array(reportCase(told), { maxLength: maxCases }),
      startedAt: fc.constant("2026-01-02T03:04:05.678Z"),
      durationMs: fc.nat(1_000_000),
      problems: fc.array(reportText(), { maxLength: 2 }),
      applied: fc.option(
        fc.record({
          receipt: fc.option(fc.constant("sha256:ab12")),
          because: fc.array(reportText(), { maxLength: 2 }),
        }),
      ),
      environment: fc.record({
        veritest: fc.constant("0.1.0"),
        runner: fc.option(fc.record({ name: fc.constantFrom("vitest", "jest"), version: fc.constant("5.1.1") })),
        node: fc.constant("24.0.0"),
        platform: fc.constant("linux-x64"),
        ci: fc.boolean(),
        adapterMode: fc.option(fc.constantFrom("replay", "live", "auto")),
        shard: fc.option(fc.constant({ index: 1, count: 3 })),
      }),
    })
    .map(buildRunModel);
}

function reportCase(told: boolean): fc.Arbitrary<ReportCase> {
  return fc.record({
    step: reportText(),
    baseline: reportText(),
    labels: fc.array(reportText(), { maxLength: 2 }),
    test: fc.option(
      fc.record({ file: reportText(), name: reportText(), line: fc.option(fc.integer({ min: 1, max: 9999 })) }),
    ),
    kind: fc.constantFrom(...KINDS),
    updateState: fc.constantFrom(...SETTLED),
    source: fc.option(fc.constantFrom("recorded", "live")),
    durationMs: fc.option(fc.nat(100_000)),
    usage: fc.option(fc.record({ calls: fc.nat(99), inputTokens: fc.nat(99_999), outputTokens: fc.nat(99_999) })),
    findings: told ? fc.option(findings()) : fc.constant(null),
  });
}

function findings(): fc.Arbitrary<ReportFindings> {
  const always = fc.record({
    cause: fc.option(cause()),
    changes: changes(),
    trajectory: fc.array(row(), { maxLength: 4 }),
    more: fc.nat(3),
    violations: violations(),
    tolerated: fc.array(tolerated(), { maxLength: 2 }),
    error: fc.option(
      fc.record({ code: reportText(), message: reportText(), at: reportText() }, { requiredKeys: ["code", "message"] }),
    ),
    problem: fc.option(reportText()),
    unrecorded: fc.option(miss()),
    unused: fc.array(reportText(), { maxLength: 3 }),
    trials: fc.option(trials()),
    grid: fc.option(grid()),
  });
  const withInput = fc.record({ input: fc.oneof(reportText(), jsonValue()) }, { requiredKeys: [] });
  return fc.tuple(always, withInput).map(([found, input]) => ({ ...found, ...input }));
}

function change(): fc.Arbitrary<ReportChange> {
  const side = fc.option(fc.oneof(reportText(), jsonValue()), { nil: undefined });
  return fc.record({
    part: fc.constantFrom(...PARTS),
    path: reportText(),
    before: side,
    after: side,
    cut: fc.boolean(),
  });
}

function row(): fc.Arbitrary<ReportRow> {
  return fc.record({
    kind: fc.constantFrom("same", "changed", "added", "removed", "moved"),
    role: fc.constantFrom("read", "write"),
    baseline: fc.option(reportText()),
    now: fc.option(reportText()),
  });
}

function changes(): fc.Arbitrary<ReportChange[]> {
  return fc.array(change(), { maxLength: 3 });
}

function tolerated(): fc.Arbitrary<ReportTolerated> {
  return fc.tuple(change(), reportText(), reportText()).map(([found, rule, label]) => ({ ...found, rule, label }));
}

function violations(): fc.Arbitrary<ReportViolation[]> {
  return fc.array(
    fc.record({
      path: reportText(),
      kind: fc.constantFrom("missing", "type", "refinement", "other"),
      message: reportText(),
    }),
    { maxLength: 2 },
  );
}

function cause(): fc.Arbitrary<ReportCause> {
  return fc.record({
    kind: fc.constantFrom("mixed", ...CAUSES),
    line: reportText(),
    evidence: fc.array(evidence(), { maxLength: 2 }),
  });
}

function evidence(): fc.Arbitrary<ReportEvidence> {
  return fc.record({
    kind: fc.constantFrom(...CAUSES),
    calls: fc.array(call(), { maxLength: 2 }),
    changes: changes(),
    violations: violations(),
  });
}

function call(): fc.Arbitrary<ReportCall> {
  return fc.record({
    adapter: reportText(),
    kind: fc.constantFrom("changed", "added", "dropped", "answered"),
    changes: changes(),
  });
}

function miss(): fc.Arbitrary<ReportUnrecordedRequest> {
  const reason = fc.constantFrom("unknown_adapter", "unknown_request", "repeated", "stream_exhausted", "hash_only");
  return fc.record({ adapter: reportText(), reason, recorded: fc.nat(9), changes: changes() });
}

function trials(): fc.Arbitrary<ReportTrials> {
  const unstable = fc.array(fc.record({ path: reportText(), equal: fc.nat(10), of: fc.constant(10) }), {
    maxLength: 2,
  });
  const classes = fc.constantFrom({ clean: 9, value_changed: 1 }, { clean: 4, failed: 6 });
  return fc.record({
    planned: fc.constant(10),
    min: fc.constant(9),
    run: fc.nat(10),
    clean: fc.nat(10),
    interval: fc.constant([0.3, 0.9] as const),
    classes,
    unstable,
  });
}

function grid(): fc.Arbitrary<ReportGrid> {
  const cell: fc.Arbitrary<ReportGridCell> = fc.record({
    text: reportText(),
    before: fc.option(reportText(), { nil: undefined }),
    wrong: fc.boolean(),
  });
  return fc.array(reportText(), { maxLength: 4 }).chain((columns) =>
    fc.record({
      columns: fc.constant(columns),
      rows: fc.array(
        fc.record({
          name: reportText(),
          cells: fc.array(fc.option(cell), { minLength: columns.length, maxLength: columns.length }),
        }),
        { maxLength: 4 },
      ),
      moreRows: fc.nat(3),
    }),
  );
}

/** Fields of a model whose texts are of a fixed set, or made by who builds the model. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  "kind",
  "updateState",
  "source",
  "part",
  "role",
  "reason",
  "status",
  "summary",
  "startedAt",
]);

/** The sample run with one text wherever a model may hold any: in each field, in values, and as names in values. */
export function runOfText(text: string): RunModel {
  const model = { ...sampleRun(), problems: [text] };
  const json = JSON.stringify(model, (key, value: unknown) => {
    if (typeof value === "string") return OWN_FIELDS.has(key) ? value : `${text}${key === "after" ? " after" : ""}`;
    return key === "before" && typeof value === "object" ? { [text]: [text] } : value;
  });
  return unwrap(parseRunModel(json, "a run of one text"));
}

/** Every class of verdict, worst first, as reports list them. */
export const ALL_KINDS: readonly VerdictClass[] = KINDS.toSorted((a, b) => SEVERITY[a] - SEVERITY[b]);
