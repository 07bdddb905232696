import type { IgnoreRule } from "../kernel/ignore-rule.ts";
import type { CallScope, RoleRules } from "../kernel/call-role.ts";
import type { VerdictKind } from "../check/verdict.ts";
import type { ActorKind } from "../updates/receipts/actor.ts";
import type { ReportFormat } from "../explain/format-names.ts";
import type { Approve, ForbiddenGroups, Scope, VerifyCommand } from "../updates/policy.ts";
import type { Prices } from "../kernel/model-prices.ts";
import type { StepsConfig } from "./steps-config.ts";

/** Options for applying updates at the end of a run. */
export interface TransactionConfig {
  /** Scope that must pass before a run writes. Default: `run`. */
  readonly scope?: Scope;
  /** Days until a pending change is dropped. Default: 30. */
  readonly pendingDays?: number;
}

/** Conditions for writing baselines, in addition to the fixed ones: see docs/review.md. */
export interface PolicyConfig {
  /** Kind of actor. Default: inferred from the environment. `VERITEST_ACTOR` also sets it. */
  readonly actor?: ActorKind;
  /** Permission of an agent's runs: write baselines, or only make changes pending. Default: `commit`. */
  readonly agents?: "propose-only" | "commit";
  /** Maximum number of baselines that one run can update or remove. Default: no limit. */
  readonly maxUpdates?: number;
  /** Steps whose baselines only `veritest accept` and `veritest review` write. `*` matches any characters. */
  readonly protect?: readonly string[];
  /** Classes of verdicts whose changes are never written. */
  readonly forbid?: readonly VerdictKind[];
  /** Refuse baselines whose output has fields that the step's schema doesn't name and drops. Default: false. */
  readonly forbidUnnamed?: boolean;
  /** Require `VERITEST_REASON` or `--reason`. Default: false. */
  readonly requireReason?: boolean;
  /**
   * Changes that can't be accepted as a group: changes of protected steps, or changes that an agent accepts. Default:
   * none.
   */
  readonly forbidGroups?: readonly ForbiddenGroups[];
  /** Commands that must exit with 0 first. Each is a program and its arguments, run without a shell. */
  readonly verify?: readonly (Omit<VerifyCommand, "timeoutMs"> & { readonly timeoutMs?: number })[];
  /** Final decision: true, false, or a sentence with the reason for a refusal. */
  readonly approve?: Approve;
  /** Maximum bytes of one baseline. Default: 2,000,000, because larger files can't be read in a pull request. */
  readonly maxBytes?: number;
  /** Allow overwriting a baseline that was edited by hand and isn't in git yet. Default: false. */
  readonly allowDirty?: boolean;
}

/** Additional values to redact or to keep: see docs/redaction.md. */
export interface RedactConfig {
  /** Names of fields whose strings are secrets. */
  readonly fields?: readonly string[];
  /** Dotted paths whose complete value is a secret: `input.user.email`, `**.ssn`. */
  readonly paths?: readonly string[];
  /** Regular expressions, as strings without flags, for secret parts of strings: `MEMBER-\\d{6}`. */
  readonly patterns?: readonly string[];
  /** Names or paths that aren't redacted. */
  readonly keep?: readonly string[];
  /** Kinds of artifacts, or dotted paths, that are stored as a hash only: `document`, `llm.complete.response`. */
  readonly hashOnly?: readonly string[];
}

/** Options for recording adapter calls: see docs/recording.md. */
export interface RecordingConfig {
  /**
   * Parts of requests to ignore. A path, such as `llm.complete[0].metadata.requestId`, `fetch[0].query.ts` or
   * `**.idempotencyKey`, or `{ path, match }` for the parts of a string that match a regular expression.
   */
  readonly ignore?: readonly IgnoreRule[];
  /**
   * Parts of requests whose changes keep the recorded responses, in the form of `ignore`: `fetch[0].body.store`, which
   * a new SDK adds. If an unrecorded request differs only there, you can accept it without a live call. The baseline
   * then has the new request with the old response. Default: none.
   */
  readonly harmless?: readonly IgnoreRule[];
  /** Names of request headers to compare: `["x-tenant"]`. Default: none. */
  readonly matchHeaders?: readonly string[];
  /**
   * Keep ids, times and fingerprints of model responses unchanged. By default, values that the step doesn't read become
   * placeholders, so that a new recording of the same responses gives the same file. Default: false.
   */
  readonly keepIds?: boolean;
}

/** Network access of a step while recorded responses are replayed: see docs/recording.md. */
export interface NetworkConfig {
  /**
   * Allowed hosts, with or without a port: `db.test`, `*.internal:5432`. `*` matches any characters. Their responses
   * aren't recorded. Default: none.
   */
  readonly allow?: readonly string[];
  /** Allow this machine: `localhost`, `127.0.0.1`, `::1`, sockets with a path. Default: true. */
  readonly local?: boolean;
}

/** Options for reports, in addition to the summary in the terminal: see docs/reports.md. */
export interface ReportConfig {
  /**
   * Formats to write after every run. `VERITEST_REPORT=html,json` overrides them for one run, and
   * `VERITEST_REPORT=none` disables them.
   */
  readonly formats?: readonly ReportFormat[];
  /** Output directory, relative to the project's root. Default: `veritest-report`. */
  readonly directory?: string;
}

/** Options for importing traces: see docs/traces.md. */
export interface TracesConfig {
  /** Steps by their names in traces (spans, agents or functions): `{ "POST /chat": "desk" }`. */
  readonly steps?: Readonly<Record<string, string>>;
}

/** Data sent to OpenTelemetry if a provider is registered: see docs/traces.md. */
export interface TelemetryConfig {
  /** Allow prompts, responses and values in spans, after redaction. Default: false. */
  readonly captureContent?: boolean;
}

/** Configuration of veritest: the default export of `veritest.config.ts`. Use {@link defineConfig} to get its types. */
export interface VeritestConfig {
  /**
   * Values to redact in addition to the secrets that veritest recognizes. Set functions in a setup file with
   * `configureRedaction`.
   */
  readonly redact?: RedactConfig;
  /** Parts of requests to ignore when recording. */
  readonly recording?: RecordingConfig;
  /** Roles of adapter calls, by dot path, if a step doesn't define them: `{ "crm.*": "write", gpt: "model" }`. */
  readonly roles?: RoleRules;
  /** Calls to compare if a step doesn't define it: reads and writes, writes only, or none. Default: `all`. */
  readonly calls?: CallScope;
  /**
   * Fail a live check that sends an unrecorded request, even if the result is the same. Such a check fails in CI, which
   * replays. Default: false (only reported in the summary).
   */
  readonly strictRequests?: boolean;
  /**
   * Maximum distance of two equal numbers in outputs and values, for example `1e-9` for rounding on another machine.
   * Rules of `compare` come first. Default: none.
   */
  readonly tolerance?: number;
  /** Network access of steps beyond their adapters and recorders while recorded responses are replayed. */
  readonly network?: NetworkConfig;
  /**
   * Prices of models in US dollars per million tokens, for `maxCost` and the summary of a run with live adapters:
   * `{ "gpt-5*": { input: 1.25, output: 10 } }`. `*` matches any characters. Default: none.
   */
  readonly prices?: Prices;
  readonly report?: ReportConfig;
  /** Options by which `veritest import` finds steps in traces. */
  readonly traces?: TracesConfig;
  /**
   * Source of adapter responses. A test's `mode` overrides it, and `VERITEST_MODE` overrides both. Default: `replay`,
   * which calls live adapters only for a case without a baseline, and with `-u` for a case with an unrecorded request.
   */
  readonly mode?: "replay" | "live" | "auto";
  readonly telemetry?: TelemetryConfig;
  readonly transaction?: TransactionConfig;
  readonly policy?: PolicyConfig;
  /**
   * Effect of obsolete baselines on CI: `report` names them in the summary, `fail` also fails the run. Default:
   * `report`.
   */
  readonly obsolete?: "report" | "fail";
  /**
   * Steps that `veritest capture`, `test`, `diff`, `replay`, `rebase` and `import` run: see docs/cli.md. Only they call
   * a function.
   */
  readonly steps?: StepsConfig;
}

/**
 * Types a configuration and returns it unchanged.
 *
 * @example
 * export default defineConfig({ policy: { agents: "propose-only" } });
 */
export function defineConfig(config: VeritestConfig): VeritestConfig {
  return config;
}
