import { processEnvironment, readVariable } from "../kernel/environment.ts";
import { CALL_ROLES, CALL_SCOPES, type CallScope, type RoleRules } from "../kernel/call-role.ts";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { redactContentWith } from "../kernel/telemetry/content.ts";
import { type CheckRules, currentCheckRules } from "./check-rules.ts";
import { type Redactor, type RedactorOptions, createRedactor } from "./create-redactor.ts";
import { secretVariables } from "./known-values.ts";
import {
  type RecordingSecrets,
  withRecordingSecrets,
  currentRecordingSecrets,
  secretsOf,
} from "./recording-secrets.ts";
import { type RedactionState, redactionState } from "./redaction-state.ts";

/**
 * Adds to what is redacted in this process, for what a configuration file cannot hold: functions, values known at run
 * time. Call it in a set-up file, before any test.
 *
 * @example
 * configureRedaction({ custom: [(text) => text.match(/CASE-\d+/g) ?? []] });
 */
export function configureRedaction(options: RedactorOptions): void {
  const state = redactionState();
  state.options = options;
  state.redactor = undefined;
}

const ofShown = new WeakMap<object, RecordingSecrets>();

/** What is told of a result, or of another of our values, without its secrets and those of the run it is of. */
function hideIn(told: unknown, result: object): unknown {
  // All that is shown of one result is numbered together.
  const secrets = ofShown.get(result) ?? secretsOf(result).copy();
  ofShown.set(result, secrets);
  return withRecordingSecrets(secrets, () => currentRedactor().redact(told).value);
}

// The serializer is loaded before every test file, and where a result is printed this module is there.
redactionState().hide = hideIn;
redactContentWith((value) => currentRedactor().redact(value, []).value);

/** Redactors of checks with rules of their own, each as long as its check. */
const ofChecks = new WeakMap<CheckRules, Redactor>();

/**
 * The redactor of this process: what is recognised by itself, its secret variables, the project's settings, and what
 * the check that runs here adds.
 */
export function currentRedactor(): Redactor {
  const state = redactionState();
  const rules = currentCheckRules();
  const { hashOnly = [] } = rules ?? {};
  if (rules === undefined || hashOnly.length === 0)
    return (state.redactor ??= makeRedactor(state, processEnvironment()));
  const options = { ...state.options, hashOnly: [...(state.options.hashOnly ?? []), ...hashOnly] };
  const known = ofChecks.get(rules) ?? makeRedactor({ ...state, options }, processEnvironment());
  ofChecks.set(rules, known);
  return known;
}

/**
 * Learns which secrets stand in what is now where what is stored has placeholders, for the recording that is made here.
 */
export function learnSecrets(stored: unknown, now: unknown): void {
  currentRecordingSecrets()?.learn(stored, now);
}

function makeRedactor({ options }: RedactionState, environment: NodeJS.ProcessEnv): Redactor {
  const settings = projectSettings(environment);
  const all: RedactorOptions = {
    fields: [...settings.fields, ...(options.fields ?? [])],
    paths: [...settings.paths, ...(options.paths ?? [])],
    keep: [...settings.keep, ...(options.keep ?? [])],
    hashOnly: [...settings.hashOnly, ...(options.hashOnly ?? [])],
    patterns: [...settings.patterns, ...(options.patterns ?? [])],
    values: [...secretVariables(environment), ...(options.values ?? [])],
    custom: options.custom,
  };
  return createRedactor(all, currentRecordingSecrets);
}

/** What a project's configuration says of what is hidden and what is left out: lists of names and dotted paths. */
interface ProjectSettings {
  readonly fields: readonly string[];
  readonly paths: readonly string[];
  readonly keep: readonly string[];
  readonly hashOnly: readonly string[];
  readonly patterns: readonly string[];
  readonly ignore: readonly string[];
  readonly roles: RoleRules;
  readonly calls: CallScope | undefined;
  readonly strictRequests: boolean;
  /** Distance up to which numbers of outputs count as equal. */
  readonly tolerance: number | undefined;
  /** Hosts that steps may reach past their adapters where answers are recorded, and whether this machine is one. */
  readonly network: { readonly allow: readonly string[]; readonly local: boolean };
  readonly keepIds: boolean;
  /** What one baseline may have: with more nothing is made of a value that no gate would let pass. */
  readonly maxBytes: number;
}

/** What one baseline may have where no policy says otherwise. */
export const MAX_BASELINE_BYTES = 2_000_000;

let known: { readonly text: string; readonly settings: ProjectSettings } | undefined;

/** The settings that the environment of a worker holds; empty lists where it holds none. Throws for what is no JSON. */
export function projectSettings(environment: NodeJS.ProcessEnv = processEnvironment()): ProjectSettings {
  const text = readVariable(environment, "VERITEST_REDACTION") ?? "";
  // Every recording asks.
  if (known?.text !== text) known = { text, settings: parse(text) };
  return known.settings;
}

function parse(text: string): ProjectSettings {
  const settings: unknown = text === "" ? {} : JSON.parse(text);
  const list = (name: string): readonly string[] => {
    const value = isPlainObject(settings) ? settings[name] : undefined;
    return isArray(value) ? value.filter((item) => typeof item === "string") : [];
  };
  return {
    network: networkIn(isPlainObject(settings) ? settings["network"] : undefined),
    fields: list("fields"),
    paths: list("paths"),
    keep: list("keep"),
    hashOnly: list("hashOnly"),
    patterns: list("patterns"),
    ignore: list("ignore"),
    roles: rolesIn(isPlainObject(settings) ? settings["roles"] : undefined),
    strictRequests: isPlainObject(settings) && settings["strictRequests"] === true,
    tolerance:
      isPlainObject(settings) && typeof settings["tolerance"] === "number" ? settings["tolerance"] : undefined,
    keepIds: isPlainObject(settings) && settings["keepIds"] === true,
    maxBytes:
      isPlainObject(settings) && typeof settings["maxBytes"] === "number" ? settings["maxBytes"] : MAX_BASELINE_BYTES,
    calls: CALL_SCOPES.find((scope) => isPlainObject(settings) && scope === settings["calls"]),
  };
}

function networkIn(value: unknown): ProjectSettings["network"] {
  const { allow, local }: Record<string, unknown> = isPlainObject(value) ? value : {};
  return { allow: isArray(allow) ? allow.filter((one) => typeof one === "string") : [], local: local !== false };
}

function rolesIn(value: unknown): RoleRules {
  const entries = Object.entries(isPlainObject(value) ? value : {});
  return Object.fromEntries(
    entries.flatMap(([pattern, role]) => {
      const known = CALL_ROLES.find((one) => one === role);
      return known === undefined ? [] : [[pattern, known]];
    }),
  );
}
