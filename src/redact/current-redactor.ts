import { isPlainObject } from "../base/is-plain-object.ts";
import { type Redactor, type RedactorOptions, createRedactor } from "./create-redactor.ts";
import { secretVariables } from "./known-values.ts";
import { type RedactionState, redactionState } from "./redaction-state.ts";

/** Hands a project's settings to its workers: JSON of `fields`, `paths` and `keep`. */
export const REDACTION_VARIABLE = "VERITEST_REDACTION";

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

/** The redactor of this process: what is recognised by itself, its secret variables, and the project's settings. */
export function currentRedactor(): Redactor {
  const state = redactionState();
  state.redactor ??= makeRedactor(state, process.env);
  return state.redactor;
}

function makeRedactor({ options, salt }: RedactionState, environment: NodeJS.ProcessEnv): Redactor {
  const settings = settingsIn(environment);
  const own = environment[SALT_VARIABLE];
  const base: RedactorOptions = {
    ...options,
    fields: [...settings.fields, ...(options.fields ?? [])],
    paths: [...settings.paths, ...(options.paths ?? [])],
    keep: [...settings.keep, ...(options.keep ?? [])],
    values: [...secretVariables(environment), ...(options.values ?? [])],
  };
  if (options.salt !== undefined || (own !== undefined && own !== "")) return createRedactor({ ...base, salt: options.salt ?? own });
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

function settingsIn(environment: NodeJS.ProcessEnv): { readonly fields: readonly string[]; readonly paths: readonly string[]; readonly keep: readonly string[] } {
  const text = environment[REDACTION_VARIABLE];
  const settings: unknown = text === undefined || text === "" ? {} : JSON.parse(text);
  const list = (name: string): readonly string[] => {
    const value = isPlainObject(settings) ? settings[name] : undefined;
    return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  };
  return { fields: list("fields"), paths: list("paths"), keep: list("keep") };
}
