import { types } from "node:util";
import { z } from "zod/v4";
import { CALL_ROLES, CALL_SCOPES, type CallScope, type RoleRules } from "../kernel/call-role.ts";
import { nearestWord } from "../kernel/did-you-mean.ts";
import { isPlainObject } from "../kernel/json/plain-data.ts";
import type { Prices } from "../kernel/model-prices.ts";
import { SEVERITY, type VerdictClass } from "../check/verdict.ts";
import { REPORT_FORMATS, type ReportFormat } from "../explain/format-names.ts";
import { type Approve, DEFAULT_POLICY, type Policy, type RedactSettings } from "../updates/policy.ts";
import { type StepsConfig, isStepsConfig, stepsProblem } from "./steps-config.ts";

const VERIFY_MS = 10 * 60_000;

const { scope, pendingDays, agents, maxUpdates, requireReason, forbidGroups, maxBytes, allowDirty } = DEFAULT_POLICY;
const kinds: ReadonlySet<string> = new Set(Object.keys(SEVERITY));
const count = z.number().int().min(0);

const verify = z.strictObject({
  name: z.string().min(1),
  run: z.array(z.string()).min(1, "expected a program and its arguments"),
  timeoutMs: count.default(VERIFY_MS),
});

const policy = z.strictObject({
  actor: z.enum(["human", "agent", "ci"]).optional(),
  agents: z.enum(["propose-only", "commit"]).default(agents),
  maxUpdates: count.default(maxUpdates),
  protect: z.array(z.string()).default([]),
  forbid: z.array(z.custom<VerdictClass>(isKind, `expected one of ${[...kinds].join(", ")}`)).default([]),
  forbidUnnamed: z.boolean().default(false),
  requireReason: z.boolean().default(requireReason),
  forbidGroups: z.array(z.enum(["protected", "agents"])).default([...forbidGroups]),
  verify: z.array(verify).default([]),
  approve: z.custom<Approve>((value) => typeof value === "function", "expected a function").optional(),
  maxBytes: count.default(maxBytes),
  allowDirty: z.boolean().default(allowDirty),
});

const transaction = z.strictObject({
  scope: z.enum(["run", "file", "test"]).default(scope),
  pendingDays: z.number().min(0).default(pendingDays),
});

const redact = z.strictObject({
  fields: z.array(z.string()).default([]),
  paths: z.array(z.string()).default([]),
  keep: z.array(z.string()).default([]),
  patterns: z.array(z.string().refine(isExpression, "expected a regular expression")).optional(),
  hashOnly: z.array(z.string()).optional(),
});

const traces = z.strictObject({ steps: z.record(z.string(), z.string().min(1)).default({}) });

const ignoreRule = z.union([
  z.string(),
  z.strictObject({ path: z.string(), match: z.custom<RegExp>(types.isRegExp, "expected a RegExp").transform(String) }),
]);

const recording = z.strictObject({
  ignore: z.array(ignoreRule).optional(),
  harmless: z.array(ignoreRule).optional(),
  matchHeaders: z.array(z.string()).optional(),
  keepIds: z.boolean().optional(),
});

const network = z.strictObject({
  allow: z.array(z.string().min(1)).optional(),
  local: z.boolean().optional(),
});

const amount = z.number().min(0);
const prices = z.record(z.string().min(1), z.strictObject({ input: amount, output: amount }));

const report = z.strictObject({
  formats: z.array(z.enum(REPORT_FORMATS)).default([]),
  directory: z.string().min(1).optional(),
});

/** Report options of a project. */
export interface ReportSettings {
  readonly formats: readonly ReportFormat[];
  /** Relative to the project's root. */
  readonly directory?: string | undefined;
}

/** Settings that each worker needs to check: it gets them as JSON, and reads them with `projectSettings`. */
export interface WorkerSettings extends RedactSettings {
  /** Ignored parts of requests. A regular expression is in its text form. */
  readonly ignore?: readonly (string | { readonly path: string; readonly match: string })[] | undefined;
  /** Parts of requests whose changes keep the recorded responses, in the same form. */
  readonly harmless?: WorkerSettings["ignore"];
  readonly matchHeaders?: readonly string[] | undefined;
  readonly keepIds?: boolean | undefined;
  readonly roles?: RoleRules;
  readonly calls?: CallScope;
  readonly strictRequests?: true;
  readonly tolerance?: number;
  readonly network?: { readonly allow?: readonly string[] | undefined; readonly local?: boolean | undefined };
  readonly prices?: Prices;
}

const telemetry = z.strictObject({ captureContent: z.boolean().default(false) });

const config = z.strictObject({
  redact: redact.prefault({}),
  recording: recording.optional(),
  roles: z.record(z.string(), z.enum(CALL_ROLES)).optional(),
  calls: z.enum(CALL_SCOPES).optional(),
  strictRequests: z.boolean().optional(),
  tolerance: z.number().min(0).optional(),
  network: network.optional(),
  prices: prices.optional(),
  report: report.prefault({}),
  traces: traces.optional(),
  mode: z.enum(["replay", "live", "auto"]).optional(),
  telemetry: telemetry.prefault({}),
  transaction: transaction.prefault({}),
  policy: policy.prefault({}),
  obsolete: z.enum(["report", "fail"]).optional(),
  steps: z.custom<StepsConfig>(isStepsConfig, { error: ({ input }) => stepsProblem(input) }).optional(),
});

/** Content of a configuration file, with defaults. */
export interface ParsedConfig {
  readonly mode: "replay" | "live" | "auto" | undefined;
  /** True if OpenTelemetry spans may contain redacted prompts, responses and values. */
  readonly captureContent?: true;
  readonly policy: Policy;
  readonly worker: WorkerSettings;
  /** `fail` fails a run in CI that has obsolete baselines. */
  readonly obsolete?: "report" | "fail";
  readonly report: ReportSettings;
  /** Steps by their names in traces; absent if not configured. */
  readonly traces?: { readonly steps: Readonly<Record<string, string>> };
  /** Not validated yet: see `loadSteps`. */
  readonly steps?: StepsConfig;
}

/** A problem in a configuration. */
export interface ConfigIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Adds the known key that a misspelt one is nearest to. */
function withSuggestion(issue: z.core.$ZodIssue): ConfigIssue {
  const [unknown, ...more] = issue.code === "unrecognized_keys" ? issue.keys : [];
  if (unknown === undefined || more.length > 0) return issue;
  const known = keysAt(z.toJSONSchema(config, { unrepresentable: "any", io: "input" }), issue.path);
  const nearest = nearestWord(unknown, known);
  return nearest === undefined ? issue : { ...issue, message: `${issue.message} (did you mean "${nearest}"?)` };
}

/** Returns the keys that a JSON Schema knows at a path. */
function keysAt(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  const [first, ...rest] = path;
  if (!isPlainObject(schema)) return [];
  const { properties, items, additionalProperties } = schema;
  if (first === undefined) return isPlainObject(properties) ? Object.keys(properties) : [];
  if (typeof first === "number") return keysAt(items, rest);
  const own = isPlainObject(properties) && typeof first === "string" ? properties[first] : undefined;
  return keysAt(own ?? additionalProperties, rest);
}

/**
 * Parses a configuration file's default export. An unknown key is an issue, because a misspelt policy wouldn't protect
 * anything.
 */
export function parseConfig(value: unknown): ParsedConfig | { readonly issues: readonly ConfigIssue[] } {
  const parsed = config.safeParse(value);
  if (!parsed.success) return { issues: parsed.error.issues.map(withSuggestion) };
  const { data } = parsed;
  return {
    mode: data.mode,
    ...(data.telemetry.captureContent && { captureContent: true }),
    policy: {
      ...data.policy,
      ...data.transaction,
      redact: data.redact,
      actor: data.policy.actor,
      approve: data.policy.approve,
    },
    worker: {
      ...data.redact,
      ...data.recording,
      ...(data.roles && { roles: data.roles }),
      ...(data.calls && { calls: data.calls }),
      ...(data.strictRequests === true && { strictRequests: true }),
      ...(data.tolerance !== undefined && { tolerance: data.tolerance }),
      ...(data.network && { network: data.network }),
      ...(data.prices && { prices: data.prices }),
    },
    report: data.report,
    ...(data.traces && { traces: data.traces }),
    ...(data.obsolete && { obsolete: data.obsolete }),
    ...(data.steps && { steps: data.steps }),
  };
}

function isExpression(value: string): boolean {
  try {
    return new RegExp(value, "u").unicode;
  } catch {
    return false;
  }
}

function isKind(value: unknown): boolean {
  return typeof value === "string" && kinds.has(value);
}
