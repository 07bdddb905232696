import { z } from "zod/v4";
import { CALL_ROLES } from "../kernel/call-role.ts";
import { formatPath, quote, truncate } from "../kernel/text.ts";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../kernel/result.ts";
import type { VerdictKind } from "../check/verdict.ts";
import type { UnrecordedReason } from "../record/replay/unrecorded-request.ts";
import { messageOf } from "../kernel/error-message.ts";
import { buildRunModel } from "./build-run-model.ts";
import type {
  ReportCounts,
  ReportEnvironment,
  ReportAppliedUpdates,
  ReportSource,
  RunModel,
} from "../explain/run-model.ts";
import type {
  ReportCall,
  ReportCase,
  ReportCause,
  ReportChange,
  ReportEvidence,
  ReportFindings,
  ReportGrid,
  ReportGridCell,
  ReportGridRow,
  ReportUnrecordedRequest,
  ReportRow,
  ReportCallChange,
  ReportPart,
  ReportUpdateState,
  ReportTolerated,
  ReportTrials,
  ReportUsage,
  ReportValue,
  ReportViolation,
} from "../explain/report-case.ts";

const VERSION = 2;
/** Length of the quoted part of a fault: a name may be as long as the file. */
const MAX_PROBLEM = 300;

/** A schema for each field of an interface: one that is new, gone or of another type is an error of the compiler. */
type Fields<T> = { readonly [Name in keyof T]-?: z.ZodType<T[Name]> };

const text = z.string();
const texts = z.array(text);
const count = z.int().min(0);
const milliseconds = z.number().min(0);

const kinds: Readonly<Record<VerdictKind, true>> = {
  clean: true,
  value_changed: true,
  commands_changed: true,
  calls_changed: true,
  events_changed: true,
  schema_violation: true,
  request_changed: true,
  failed: true,
  input_changed: true,
  missing: true,
  obsolete: true,
  broken: true,
};
const causes: Readonly<Record<ReportCause["kind"], true>> = {
  code: true,
  prompt: true,
  model: true,
  response: true,
  schema: true,
  environment: true,
  mixed: true,
};
const evidenceKinds: Readonly<Record<ReportEvidence["kind"], true>> = {
  code: true,
  prompt: true,
  model: true,
  response: true,
  schema: true,
  environment: true,
};
const parts: Readonly<Record<ReportPart, true>> = {
  input: true,
  output: true,
  commands: true,
  events: true,
  calls: true,
  request: true,
  response: true,
};
const settlements: Readonly<Record<ReportUpdateState, true>> = {
  none: true,
  captured: true,
  updated: true,
  removed: true,
  pending: true,
  review: true,
};
const sources: Readonly<Record<NonNullable<ReportCase["source"]>, true>> = { recorded: true, live: true };
const violations: Readonly<Record<ReportViolation["kind"], true>> = {
  missing: true,
  type: true,
  refinement: true,
  other: true,
};
const calls: Readonly<Record<ReportCall["kind"], true>> = { changed: true, added: true, dropped: true, answered: true };
const reasons: Readonly<Record<UnrecordedReason, true>> = {
  unknown_adapter: true,
  unknown_request: true,
  repeated: true,
  stream_exhausted: true,
  hash_only: true,
};
const statuses: Readonly<Record<RunModel["status"], true>> = { pass: true, fail: true, error: true };

const kind = oneOf(kinds);

// Whatever JSON.parse gives is such a value; looking into it would only lose names such as __proto__.
const value = z.custom<ReportValue>((input) => input !== undefined);

const callKinds: Readonly<Record<ReportCallChange["kind"], true>> = {
  added: true,
  removed: true,
  changed: true,
  moved: true,
};

const callChange = z.strictObject({
  kind: oneOf(callKinds),
  role: z.enum(CALL_ROLES),
  times: count,
  movedTo: text.nullable(),
} satisfies Fields<ReportCallChange>);

const rowKinds: Readonly<Record<ReportRow["kind"], true>> = { ...callKinds, same: true };

const row = z.strictObject({
  kind: oneOf(rowKinds),
  role: z.enum(CALL_ROLES),
  baseline: text.nullable(),
  now: text.nullable(),
} satisfies Fields<ReportRow>);

const changeFields = {
  part: oneOf(parts),
  path: text,
  general: text.optional(),
  before: value.optional(),
  after: value.optional(),
  cut: z.boolean(),
  count: z.number().optional(),
  call: callChange.optional(),
} satisfies Fields<ReportChange>;
const change = z.strictObject(changeFields);
const tolerated = z.strictObject({ ...changeFields, rule: text, label: text } satisfies Fields<ReportTolerated>);
const violation = z.strictObject({
  path: text,
  kind: oneOf(violations),
  message: text,
} satisfies Fields<ReportViolation>);
const changes = z.array(change);

const call = z.strictObject({ adapter: text, kind: oneOf(calls), changes } satisfies Fields<ReportCall>);
const evidence = z.strictObject({
  kind: oneOf(evidenceKinds),
  calls: z.array(call),
  changes,
  violations: z.array(violation),
} satisfies Fields<ReportEvidence>);
const cause = z.strictObject({
  kind: oneOf(causes),
  line: text,
  evidence: z.array(evidence),
} satisfies Fields<ReportCause>);
const unrecordedRequest = z.strictObject({
  adapter: text,
  reason: oneOf(reasons),
  recorded: count,
  changes,
} satisfies Fields<Omit<ReportUnrecordedRequest, "chunks" | "bare">>);

const trials = z.strictObject({
  planned: count,
  min: count,
  run: count,
  clean: count,
  interval: z.tuple([z.number(), z.number()]),
  classes: z.partialRecord(kind, count),
  unstable: z.array(z.strictObject({ path: text, equal: count, of: count })),
} satisfies Fields<ReportTrials>);

const cell = z.strictObject({
  text,
  before: text.optional(),
  wrong: z.boolean(),
} satisfies Fields<ReportGridCell>);
const gridRow = z.strictObject({ name: text, cells: z.array(cell.nullable()) } satisfies Fields<ReportGridRow>);
const grid = z
  .strictObject({ columns: texts, rows: z.array(gridRow), moreRows: count } satisfies Fields<ReportGrid>)
  .refine(
    ({ columns, rows }) => rows.every(({ cells }) => cells.length === columns.length),
    "expected a cell for each column",
  );

const findings = z.strictObject({
  cause: cause.nullable(),
  changes,
  trajectory: z.array(row),
  more: count,
  violations: z.array(violation),
  tolerated: z.array(tolerated),
  error: z.strictObject({ code: text, message: text, at: text.optional() }).nullable(),
  problem: text.nullable(),
  unrecorded: unrecordedRequest.nullable(),
  unused: texts,
  trials: trials.nullable(),
  // Files of 0.1 from before grids have none.
  grid: grid.nullable().default(null),
  input: value.optional(),
} satisfies Fields<ReportFindings>);

const usage = z.strictObject({
  calls: count,
  inputTokens: count,
  outputTokens: count,
  cost: z.number().min(0).optional(),
} satisfies Fields<ReportUsage>);

const reportCase = z.strictObject({
  step: text,
  baseline: text,
  labels: texts,
  test: z.strictObject({ file: text, name: text, line: z.int().min(1).nullable() }).nullable(),
  kind,
  updateState: oneOf(settlements),
  source: oneOf(sources).nullable(),
  durationMs: milliseconds.nullable(),
  usage: usage.nullable(),
  findings: findings.nullable(),
} satisfies Fields<ReportCase>);

const counts = z.strictObject({
  total: count,
  passed: count,
  changed: count,
  commandsChanged: count,
  callsChanged: count,
  schemaViolations: count,
  failed: count,
  broken: count,
  missing: count,
  obsolete: count,
  requestChanged: count,
  captured: count,
  updated: count,
  pending: count,
} satisfies Fields<ReportCounts>);

const environment = z.strictObject({
  veritest: text,
  runner: z.strictObject({ name: text, version: text }).nullable(),
  node: text,
  platform: text,
  ci: z.boolean(),
  adapterMode: text.nullable(),
  shard: z
    .strictObject({ index: z.int().min(1), count: z.int().min(1) })
    .refine(({ index, count: of }) => index <= of, "expected no more than the count")
    .nullable(),
  source: z
    .strictObject({
      commit: text.nullable(),
      branch: text.nullable(),
      pullRequest: text.nullable(),
      command: text.nullable(),
    } satisfies Fields<ReportSource>)
    .optional(),
} satisfies Fields<ReportEnvironment>);

const updateSummary = z.strictObject({
  receipt: text.nullable(),
  because: texts,
} satisfies Fields<ReportAppliedUpdates>);

// Refuses unknown fields: they come from a version that reports more than this one can show.
const runModelSchema: z.ZodType<RunModel> = z.strictObject({
  version: z.literal(VERSION),
  status: oneOf(statuses),
  summary: text,
  counts,
  startedAt: z.iso.datetime(),
  durationMs: milliseconds,
  environment,
  cases: z.array(reportCase),
  // Recomputed from the cases. Files of 0.1 from before groups have none.
  groups: z.custom<RunModel["groups"]>(isArray).default([]),
  usage,
  trials: count,
  applied: updateSummary.nullable(),
  problems: texts,
} satisfies Fields<RunModel>);

/**
 * Reads the JSON of a run. `from` is the file's name for messages. Recomputes order, counts, status, sums and summary
 * from the cases. So an edited or half-merged file can't show `pass` above failed cases, and a file stays readable if a
 * later release counts differently. The error is a sentence.
 */
export function parseRunModel(text: string, from: string): Result<RunModel, string> {
  const refused = (why: string): Result<RunModel, string> =>
    err(`Cannot read ${quote(from)}: ${truncate(why, MAX_PROBLEM)}.`);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (thrown) {
    return refused(`it isn't JSON (${quote(messageOf(thrown))}). Write the report again`);
  }
  if (!isPlainObject(data) || !Object.hasOwn(data, "version") || !Object.hasOwn(data, "cases"))
    return refused(`it isn't a report of veritest. Pass a run.json that VERITEST_REPORT=json wrote`);
  const { version } = data;
  if (typeof version === "number" && version > VERSION)
    return refused(
      `it has version ${version}, and this version of veritest only reads versions up to ${VERSION}. Update veritest`,
    );
  if (typeof version === "number" && version < VERSION)
    return refused(`its version ${version} is of an older veritest. Run the tests again with VERITEST_REPORT=json`);
  const parsed = runModelSchema.safeParse(data);
  return parsed.success ? ok(buildRunModel(parsed.data)) : refused(`${describe(parsed.error)}. Write the report again`);
}

function describe({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (issue === undefined) return "it is damaged";
  const path = issue.path.map((segment) => (typeof segment === "symbol" ? String(segment) : segment));
  return `${formatPath(path)}: ${quote(issue.message)}${issues.length > 1 ? `, and ${issues.length - 1} more` : ""}`;
}

/** One of the names of a set that is written out, so that a name which is new is an error of the compiler. */
function oneOf<T extends string>(names: Readonly<Record<T, true>>): z.ZodType<T, T> {
  const known: ReadonlySet<unknown> = new Set(Object.keys(names));
  return z.custom<T>((input) => known.has(input), `expected one of ${[...known].join(", ")}`);
}
