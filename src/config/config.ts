import type { CallScope, RoleRules } from "../kernel/call-role.ts";
import type { VerdictKind } from "../check/verdict.ts";
import type { ActorKind } from "../updates/receipts/actor.ts";
import type { ReportFormat } from "./report-formats.ts";
import type { Approve, ForbiddenGroups, Scope, VerifyCommand } from "../updates/policy.ts";
import type { StepsConfig } from "./steps-config.ts";

/** How changes of baselines are settled at the end of a run. */
export interface TransactionConfig {
  /** How much must be well before anything is written. Default `run`. */
  readonly scope?: Scope;
  /** Days until a proposal that nobody settled is dropped. Default 30. */
  readonly pendingDays?: number;
}

/** What must hold before baselines are written, beside what always must: see docs/transactions.md. */
export interface PolicyConfig {
  /** Who acts; inferred from the environment unless given here or as `VERITEST_ACTOR`. */
  readonly actor?: ActorKind;
  /** Whether an agent's runs write baselines or only propose them. Default `commit`. */
  readonly agents?: "propose-only" | "commit";
  /** The most baselines one run may update or remove. No limit unless given. */
  readonly maxUpdates?: number;
  /** Steps, `*` standing for any characters, whose baselines only `veritest accept` and `veritest review` write. */
  readonly protect?: readonly string[];
  /** Classes of verdicts whose changes are never written. */
  readonly forbid?: readonly VerdictKind[];
  /** Whether `VERITEST_REASON` or `--reason` must be given. Default false. */
  readonly requireReason?: boolean;
  /** Whose changes are not accepted by the group: of protected steps, by agents. None unless given. */
  readonly forbidGroups?: readonly ForbiddenGroups[];
  /** Commands that must exit with 0 first. A program and its arguments: no shell reads them. */
  readonly verify?: readonly (Omit<VerifyCommand, "timeoutMs"> & { readonly timeoutMs?: number })[];
  /** The last word: true, false, or a sentence on why not. */
  readonly approve?: Approve;
  /** The most bytes of one baseline. Default 2,000,000: what is larger nobody reads in a pull request. */
  readonly maxBytes?: number;
  /** Whether a baseline that was edited by hand and is not in git yet may be overwritten. Default false. */
  readonly allowDirty?: boolean;
}

/** More to redact, or to leave alone: see docs/redaction.md. */
export interface RedactConfig {
  /** Names of fields whose texts are secrets. */
  readonly fields?: readonly string[];
  /** Dotted paths whose whole value is a secret: `input.user.email`, `**.ssn`. */
  readonly paths?: readonly string[];
  /** Regular expressions, as texts and without flags, of the parts of texts that are secrets: `MEMBER-\\d{6}`. */
  readonly patterns?: readonly string[];
  /** Names or paths that are left as they are. */
  readonly keep?: readonly string[];
  /** Kinds of artifacts, or dotted paths, of which only the hash is kept: `document`, `llm.complete.response`. */
  readonly hashOnly?: readonly string[];
}

/** What is recorded of adapter calls: see docs/recording.md. */
export interface RecordingConfig {
  /** Paths in requests that are no part of them: `llm.complete[0].metadata.requestId`, `**.idempotencyKey`. */
  readonly ignore?: readonly string[];
  /**
   * True where ids, times and fingerprints of models' answers are kept as they came. Default false: where the step does
   * not read them, placeholders of the same kind, so that a new recording of the same answers is the same file.
   */
  readonly keepIds?: boolean;
}

/** What a step may reach by itself where recorded answers are served: see docs/network.md. */
export interface NetworkConfig {
  /**
   * Hosts that are let through, `*` standing for any characters, each with its port or without: `db.test`,
   * `*.internal:5432`. None unless given: what they answer is in no recording.
   */
  readonly allow?: readonly string[];
  /** Whether this machine is let through: `localhost`, `127.0.0.1`, `::1`, sockets with a path. Default true. */
  readonly local?: boolean;
}

/** What is written of a run beside the summary on the screen: see docs/reports.md. */
export interface ReportConfig {
  /** Written after every run; `VERITEST_REPORT=html,json` says it for one. `none` there writes nothing. */
  readonly formats?: readonly ReportFormat[];
  /** Where to, relative to the project's root. Default `veritest-report`. */
  readonly directory?: string;
}

/** How traces are imported: see docs/traces.md. */
export interface TracesConfig {
  /** Steps by the names that traces have for them, of spans, agents or functions: `{ "POST /chat": "desk" }`. */
  readonly steps?: Readonly<Record<string, string>>;
}

/** What leaves for OpenTelemetry, where a provider is registered: see docs/traces.md. */
export interface TelemetryConfig {
  /** Whether spans may hold prompts, answers and values, after redaction. Default false. */
  readonly captureContent?: boolean;
}

/** The default export of `veritest.config.ts`. */
export interface VeritestConfig {
  /** What is redacted beside what is recognised by itself. Functions go into a set-up file: `configureRedaction`. */
  readonly redact?: RedactConfig;
  /** What is no part of recorded requests. */
  readonly recording?: RecordingConfig;
  /** What calls of adapters are, by dot path, where a step does not say it: `{ "crm.*": "write", gpt: "model" }`. */
  readonly roles?: RoleRules;
  /** Which calls count where a step does not say it: reads and writes, writes alone, or none. Default `all`. */
  readonly calls?: CallScope;
  /**
   * True where a live check fails that asks what no answer is recorded for, also with the same result: CI, which serves
   * recorded answers, would have none for it. Default false: the run's summary tells it.
   */
  readonly strictRequests?: boolean;
  /** What steps may reach past their adapters and tapes where recorded answers are served. */
  readonly network?: NetworkConfig;
  readonly report?: ReportConfig;
  /** How `veritest import` finds steps in traces. */
  readonly traces?: TracesConfig;
  /** Where matchers take adapter answers from; `VERITEST_ADAPTERS` overrides it for a run. */
  readonly adapters?: "recorded" | "live" | "auto";
  readonly telemetry?: TelemetryConfig;
  readonly transaction?: TransactionConfig;
  readonly policy?: PolicyConfig;
  /**
   * The steps that `veritest capture`, `test`, `diff` and `replay` run: see docs/cli.md. A function is only called by
   * those.
   */
  readonly steps?: StepsConfig;
}

/**
 * Types a configuration; returns it as it is.
 *
 * @example
 * export default defineConfig({ policy: { agents: "propose-only" } });
 */
export function defineConfig(config: VeritestConfig): VeritestConfig {
  return config;
}
