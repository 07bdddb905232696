import { isArray } from "../base/plain-data.ts";
import { isPlainObject } from "../base/plain-data.ts";

/** Hands a project's settings to its workers: JSON of {@link ProjectSettings}. */
export const REDACTION_VARIABLE = "VERITEST_REDACTION";

/** What a project's configuration says of what is hidden and what is left out: lists of names and dotted paths. */
export interface ProjectSettings {
  readonly fields: readonly string[];
  readonly paths: readonly string[];
  readonly keep: readonly string[];
  readonly hashOnly: readonly string[];
  readonly ignore: readonly string[];
}

let known: { readonly text: string; readonly settings: ProjectSettings } | undefined;

/** The settings that the environment of a worker holds; empty lists where it holds none. Throws for what is no JSON. */
export function projectSettings(environment: NodeJS.ProcessEnv): ProjectSettings {
  const { [REDACTION_VARIABLE]: text = "" } = environment;
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
    fields: list("fields"),
    paths: list("paths"),
    keep: list("keep"),
    hashOnly: list("hashOnly"),
    ignore: list("ignore"),
  };
}
