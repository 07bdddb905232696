import { z } from "zod/v4";
import { CALL_ROLES } from "../kernel/call-role.ts";
import { formatPath, quote, truncate } from "../kernel/text.ts";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../kernel/result.ts";
import { SEVERITY } from "../check/verdict.ts";
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

/** The names of a union: one that is new or gone is an error of the compiler. */
type Names<T extends string> = Readonly<Record<T, 1>>;

const evidenceKinds: Names<ReportEvidence["kind"]> = {
  code: 1,
  prompt: 1,
  model: 1,
  response: 1,
  schema: 1,
  environment: 1,
};
const causes: Names<ReportCause["kind"]> = { ...evidenceKinds, mixed: 1 };
const parts: Names<ReportPart> = { input: 1, output: 1, commands: 1, events: 1, calls: 1, request: 1, response: 1 };
const updateStates: Names<ReportUpdateState> = { none: 1, captured: 1, updated: 1, removed: 1, pending: 1, review: 1 };
const sources: Names<NonNullable<ReportCase["source"]>> = { recorded: 1, live: 1 };
const violations: Names<ReportViolation["kind"]> = { missing: 1, type: 1, refinement: 1, other: 1 };
const calls: Names<ReportCall["kind"]> = { changed: 1, added: 1, dropped: 1, answered: 1 };
const reasons: Names<UnrecordedReason> = {
  unknown_adapter: 1,
  unknown_request: 1,
  repeated: 1,
  stream_exhausted: 1,
  no_response: 1,
  hash_only: 1,
};
const statuses: Names<RunModel["status"]> = { pass: 1, fail: 1, error: 1 };
const callKinds: Names<ReportCallChange["kind"]> = { added: 1, removed: 1, changed: 1, moved: 1 };
const rowKinds: Names<ReportRow["kind"]> = { ...callKinds, same: 1 };

const kind = oneOf(SEVERITY);

// Whatever JSON.parse gives is such a value; looking into it would only lose names such as __proto__.
const value = z.custom<ReportValue>((input) => input !== undefined);

const callChange = z.strictObject({
  kind: oneOf(callKinds),
  role: z.enum(CALL_ROLES),
  times: count,
  movedTo: text.nullable(),
} satisfies Fields<ReportCallChange>);

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
} satisfies Fields<Omit<ReportUnrecordedRequest, "chunks" | "bare" | "request">>);

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
  updateState: oneOf(updateStates),
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

/** Schema of one of the names that are written out. */
function oneOf<T extends string>(names: Readonly<Record<T, unknown>>): z.ZodType<T, T> {
  const known: ReadonlySet<unknown> = new Set(Object.keys(names));
  return z.custom<T>((input) => known.has(input), `expected one of ${[...known].join(", ")}`);
}
