import { processEnvironment } from "../kernel/environment.ts";
import { redactContentWith } from "../kernel/telemetry/content.ts";
import { type CheckRules, currentCheckRules } from "./check-rules.ts";
import { type Redactor, type RedactorOptions, createRedactor } from "./create-redactor.ts";
import { secretVariables } from "./known-values.ts";
import { type RevealedSecrets, withRevealedSecrets, currentRevealedSecrets, secretsOf } from "./revealed-secrets.ts";
import { projectSettings } from "./project-settings.ts";
import { type RedactionState, redactionState } from "./redaction-state.ts";

/**
 * Adds redaction rules that a configuration file can't express, such as functions and values that are known at run
 * time. Call it in a setup file, before any test.
 *
 * @example
 * configureRedaction({ custom: [(text) => text.match(/CASE-\d+/g) ?? []] });
 */
export function configureRedaction(options: RedactorOptions): void {
  const state = redactionState();
  state.options = options;
  state.redactor = undefined;
}

const ofShown = new WeakMap<object, RevealedSecrets>();

/** The report of a result, or of another value of veritest, without its secrets and those of its run. */
function hideIn(value: unknown, result: object): unknown {
  // All output about one result shares its numbering.
  const secrets = ofShown.get(result) ?? secretsOf(result).copy();
  ofShown.set(result, secrets);
  return withRevealedSecrets(secrets, () => currentRedactor().redact(value).value);
}

// The serializer is loaded before every test file, and this module is loaded by the time a result is printed.
redactionState().hide = hideIn;
redactContentWith((value) => currentRedactor().redact(value, []).value);

/** Redactors of checks with rules of their own, each as long as its check. */
const ofChecks = new WeakMap<CheckRules, Redactor>();

/**
 * The redactor of this process: recognized secrets, its secret variables, the project's settings, and the rules of the
 * current check.
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

/** Learns the current secrets at the positions of stored placeholders, for the current recording. */
export function learnSecrets(stored: unknown, now: unknown): void {
  currentRevealedSecrets()?.learn(stored, now);
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
  return createRedactor(all, currentRevealedSecrets);
}
