import type { IgnoreRule } from "../kernel/ignore-rule.ts";
import type { CallScope, RoleRules } from "../kernel/call-role.ts";
import type { VerdictClass } from "../check/verdict.ts";
import type { ActorKind } from "../updates/receipts/actor.ts";
import type { ReportFormat } from "../explain/format-names.ts";
import type { Approve, ForbiddenGroups, Scope, VerifyCommand as PolicyCommand } from "../updates/policy.ts";
import type { Prices } from "../kernel/model-prices.ts";
import type { StepsConfig } from "./steps-config.ts";

/** Command that must exit with 0 before baselines are written. */
interface VerifyCommand extends Omit<PolicyCommand, "timeoutMs"> {
  /** Milliseconds after which the command is killed and counts as failed. Default: 600,000. */
  readonly timeoutMs?: number;
}

/** Options for applying updates at the end of a run. */
export interface TransactionConfig {
  /**
   * Tests that must pass before an update is written: all tests of the run, those of the update's file, or only its own
   * test. Default: `run`.
   */
  readonly scope?: Scope;
  /** Days until a pending change is dropped. Default: 30. */
  readonly pendingDays?: number;
}

/** Rules for writing baselines, in addition to the built-in ones: see docs/review.md. */
export interface PolicyConfig {
  /**
   * Kind of actor that runs the tests: a person, an agent or CI. Default: inferred from variables of CI services and
   * agents. `VERITEST_ACTOR` overrides it.
   */
  readonly actor?: ActorKind;
  /**
   * Permission of an agent's runs: `commit` writes baselines, `propose-only` only makes changes pending. Default:
   * `commit`.
   */
  readonly agents?: "propose-only" | "commit";
  /** Maximum number of baselines that one run can update or remove. Default: no limit. */
  readonly maxUpdates?: number;
  /** Steps whose baselines only `veritest accept` and `veritest review` write. `*` matches any characters. */
  readonly protect?: readonly string[];
  /** Classes of changes that are never written, such as `schema_violation`. */
  readonly forbid?: readonly VerdictClass[];
  /**
   * Refuse baselines if the step returned fields that aren't in its output schema, which drops them. Default: false.
   */
  readonly forbidUnnamed?: boolean;
  /** Refuse updates without a reason (`VERITEST_REASON` or `--reason`). Default: false. */
  readonly requireReason?: boolean;
  /**
   * Changes that must be accepted one by one: `"protected"` for changes of protected steps, `"agents"` for all changes
   * that an agent accepts. Default: none.
   */
  readonly forbidGroups?: readonly ForbiddenGroups[];
  /**
   * Commands that must exit with 0 before veritest writes baselines. Each is a program and its arguments, run without a
   * shell.
   */
  readonly verify?: readonly VerifyCommand[];
  /**
   * Function that makes the final decision on the updates. It returns true, false, or a sentence with the reason for a
   * refusal.
   */
  readonly approve?: Approve;
  /** Maximum size of a baseline, in bytes. Default: 2,000,000, because larger files can't be read in a pull request. */
  readonly maxBytes?: number;
  /** Allow overwriting a baseline that was edited by hand and isn't in git yet. Default: false. */
  readonly allowDirty?: boolean;
}

/** Additional values to redact or to keep: see docs/redaction.md. */
export interface RedactConfig {
  /** Names of fields whose string values veritest hides, such as `memberId`. Default: none. */
  readonly fields?: readonly string[];
  /** Dotted paths of values to hide completely: `input.user.email`, `**.ssn`. */
  readonly paths?: readonly string[];
  /** Regular expressions for the parts of strings to hide, as strings without flags: `MEMBER-\\d{6}`. */
  readonly patterns?: readonly string[];
  /** Names or paths of values to keep, such as a field that only looks like a secret. */
  readonly keep?: readonly string[];
  /**
   * Values to store only as a hash, because they are large or confidential: kinds of artifacts (`document`), or dotted
   * paths (`llm.complete.response`).
   */
  readonly hashOnly?: readonly string[];
}

/** Options for recording adapter calls: see docs/recording.md. */
export interface RecordingConfig {
  /**
   * Parts of requests to ignore, because they differ in each run. A rule is a path, such as
   * `llm.complete[0].metadata.requestId`, `fetch[0].query.ts` or `**.idempotencyKey`. To ignore a part of a string, use
   * `{ path, match }` with a regular expression.
   */
  readonly ignore?: readonly IgnoreRule[];
  /**
   * Parts of requests that don't affect the response, written as in `ignore`, such as `fetch[0].body.store`, which a
   * new SDK adds. If an unrecorded request differs only there, you can accept it without a live call. The baseline then
   * has the new request with the old response. Default: none.
   */
  readonly harmless?: readonly IgnoreRule[];
  /**
   * Names of request headers to compare, because the response depends on them: `["x-tenant"]`. `x-amz-target`,
   * `soapaction` and `x-http-method-override`, which name the operation, are always compared. Default: none.
   */
  readonly matchHeaders?: readonly string[];
  /**
   * Keep ids, times and fingerprints of model responses unchanged. By default, values that the step doesn't read become
   * placeholders, so that a new recording of the same responses gives the same file. Default: false.
   */
  readonly keepIds?: boolean;
}

/** Network access of a step during a replay: see docs/network.md. */
export interface NetworkConfig {
  /**
   * Hosts that a step can reach during a replay, with or without a port: `db.test`, `*.internal:5432`. `*` matches any
   * characters. Their responses aren't recorded. Default: none.
   */
  readonly allow?: readonly string[];
  /**
   * Allow steps to connect to this machine during a replay: `localhost`, `127.0.0.1`, `::1`, and sockets with a path.
   * Default: true.
   */
  readonly local?: boolean;
}

/** Options for reports, in addition to the summary in the terminal: see docs/reports.md. */
export interface ReportConfig {
  /**
   * Formats of the reports to write after every run, such as `html` and `json`. `VERITEST_REPORT=html,json` overrides
   * them for one run, and `VERITEST_REPORT=none` disables them.
   */
  readonly formats?: readonly ReportFormat[];
  /** Directory of the reports, relative to the project's root. Default: `veritest-report`. */
  readonly directory?: string;
}

/** Options for importing traces: see docs/traces.md. */
export interface TracesConfig {
  /** Step names by the name of a span, agent or function in the traces, such as `{ "POST /chat": "desk" }`. */
  readonly steps?: Readonly<Record<string, string>>;
}

/** Data sent to OpenTelemetry if a provider is registered: see docs/traces.md. */
export interface TelemetryConfig {
  /** Add prompts, responses and values to spans, after redaction. Default: false. */
  readonly captureContent?: boolean;
}

/** Configuration of veritest: the default export of `veritest.config.ts`. Use {@link defineConfig} to get its types. */
export interface VeritestConfig {
  /**
   * Values to redact in addition to the secrets that veritest recognizes. To redact with a function, call
   * `configureRedaction` in a setup file.
   */
  readonly redact?: RedactConfig;
  /** Parts of requests to ignore when recording. */
  readonly recording?: RecordingConfig;
  /**
   * Roles of adapter calls (`model`, `read`, `write`), by dot path, if a step doesn't set them: `{ "crm.*": "write",
   * gpt: "model" }`.
   */
  readonly roles?: RoleRules;
  /**
   * Calls whose changes fail a check, if a step doesn't set its own: reads and writes (`all`), only writes, or none.
   * Default: `all`.
   */
  readonly calls?: CallScope;
  /**
   * Fail a live check that sends an unrecorded request, even if the result is the same. Without this option, such a
   * check fails only in CI, which replays. Default: false (only reported in the summary).
   */
  readonly strictRequests?: boolean;
  /**
   * Maximum difference of two numbers that count as equal, in outputs and values, for example `1e-9` for rounding on
   * another machine. Rules of `compare` override it. Default: none.
   */
  readonly tolerance?: number;
  /** Network access of steps during a replay, outside of adapters and recorders. */
  readonly network?: NetworkConfig;
  /**
   * Prices of models in US dollars per million tokens: `{ "gpt-5*": { input: 1.25, output: 10 } }`. veritest uses them
   * for `maxCost`, and for the summary of a run with live adapters. `*` matches any characters. Default: none.
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
   * Effect of obsolete baselines in CI: `report` names them in the summary, `fail` also fails the run. Default:
   * `report`.
   */
  readonly obsolete?: "report" | "fail";
  /**
   * Steps that `veritest capture`, `test`, `diff`, `replay`, `rebase` and `import` run: see the [command line](cli.md).
   * If `steps` is a function, only these commands call it.
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
