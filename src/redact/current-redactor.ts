import { type CheckRules, rulesHere } from "./check-rules.ts";
import { type Redactor, type RedactorOptions, createRedactor } from "./create-redactor.ts";
import { secretVariables } from "./known-values.ts";
import { projectSettings } from "./project-settings.ts";
import { type RedactionState, redactionState } from "./redaction-state.ts";

export { REDACTION_VARIABLE } from "./project-settings.ts";

/** Keys the placeholders of a whole team alike; without it each machine has a salt of its own. */
const SALT_VARIABLE = "VERITEST_SALT";

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

/** Redactors of checks with rules of their own, each as long as its check. */
const ofChecks = new WeakMap<CheckRules, Redactor>();

/**
 * The redactor of this process: what is recognised by itself, its secret variables, the project's settings, and what
 * the check that runs here adds.
 */
export function currentRedactor(): Redactor {
  const state = redactionState();
  const rules = rulesHere();
  const { hashOnly = [] } = rules ?? {};
  if (rules === undefined || hashOnly.length === 0) return (state.redactor ??= makeRedactor(state, process.env));
  const options = { ...state.options, hashOnly: [...(state.options.hashOnly ?? []), ...hashOnly] };
  const known = ofChecks.get(rules) ?? makeRedactor({ ...state, options }, process.env);
  ofChecks.set(rules, known);
  return known;
}

function makeRedactor({ options, salt }: RedactionState, environment: NodeJS.ProcessEnv): Redactor {
  const settings = projectSettings(environment);
  const own = environment[SALT_VARIABLE];
  const base: RedactorOptions = {
    ...options,
    fields: [...settings.fields, ...(options.fields ?? [])],
    paths: [...settings.paths, ...(options.paths ?? [])],
    keep: [...settings.keep, ...(options.keep ?? [])],
    hashOnly: [...settings.hashOnly, ...(options.hashOnly ?? [])],
    values: [...secretVariables(environment), ...(options.values ?? [])],
  };
  if (options.salt !== undefined || (own !== undefined && own !== ""))
    return createRedactor({ ...base, salt: options.salt ?? own });
  return salt === undefined ? createRedactor(base) : saltedLate(base, salt);
}

/** Looks without a salt first: only where there is a secret to hide is one read, or made. */
function saltedLate(options: RedactorOptions, salt: () => string): Redactor {
  const seeker = createRedactor(options);
  let salted: Redactor | undefined;
  const hide = (): Redactor => (salted ??= createRedactor({ ...options, salt: salt() }));
  return {
    redact: (value, at) => {
      const sought = seeker.redact(value, at);
      return sought.found.length === 0 ? sought : hide().redact(value, at);
    },
    redactChunks: (chunks, at) => {
      const sought = seeker.redactChunks(chunks, at);
      return sought.found.length === 0 ? sought : hide().redactChunks(chunks, at);
    },
    redactText: (text) => {
      const sought = seeker.redactText(text);
      return sought === text ? text : hide().redactText(text);
    },
  };
}
