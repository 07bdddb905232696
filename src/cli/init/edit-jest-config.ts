import type { SyntaxNode } from "../../kernel/syntax.ts";
import { type ConfigEdit, type ConfigFile, type ConfigSource, propertiesOf, readConfig } from "./config-source.ts";

/** Modules of veritest that a set-up configuration names. */
const MARKS: readonly string[] = ["veritest/jest", "veritest/jest-setup"];

const PRESET = "veritest/jest";
/** Reason to leave a configuration with projects to the user. */
export const PRESET_IN_EACH =
  "each of its projects needs the preset (in a package, run veritest init there), and its top level the reporter";
/** Set-up file of the recorder of `fetch`: before others, which may build clients that keep the `fetch` they find. */
const RECORDER = "veritest/fetch-setup";

export const REPORTER = "veritest/reporter/jest";
/** Reporter of a configuration with projects, whose presets can't add it. */
export const REPORTER_LINE: string = `reporters: ["default", "${REPORTER}"]`;

/** Modules that make a configuration with a list of their own, which replaces the preset's. */
const NEXT: readonly string[] = ["next/jest", "next/jest.js"];
const NEXT_LIST = "watchPathIgnorePatterns";

/** Lists of the preset. A configuration's own list replaces the preset's, except set-up files. */
const LISTS: readonly (readonly [name: string, elements: readonly string[], own: string])[] = [
  ["setupFilesAfterEnv", ["veritest/jest-setup"], "veritest/jest-setup"],
  ["snapshotSerializers", ["veritest/serializer"], "veritest/serializer"],
  ["reporters", ["default", REPORTER], REPORTER],
  [NEXT_LIST, ["/__baselines__/"], "/__baselines__/"],
];

/**
 * Adds the preset to a Jest configuration, or its contents if there is another preset, and the recorder of `fetch` if a
 * client needs it. `key` is the field of package.json with the configuration. Changes that aren't certain are left to
 * the user, with the lines to write.
 */
export function editJestConfig(
  { name, text }: Omit<ConfigSource, "esm">,
  { key, fetch = false }: { readonly key?: string | undefined; readonly fetch?: boolean } = {},
): ConfigEdit {
  const config = readConfig(text, name);
  const tell = (reason: string, more: readonly string[] = []): ConfigEdit => ({
    kind: "tell",
    reason,
    lines: [...jestLines(fetch), ...more],
  });
  if (config === undefined) return tell("it can't be parsed");
  if (MARKS.some((mark) => config.includes(mark))) return { kind: "done" };
  const object = fieldOf(config.exported(), key);
  if (object === undefined) return tell("its export isn't a plain object");
  const properties = propertiesOf(object);
  if (properties.some((property) => property.name === undefined))
    return tell("an object that is spread into it might have a preset");
  if (properties.some((property) => property.name === "projects"))
    return tell(PRESET_IN_EACH, config.includes(REPORTER) ? [] : [REPORTER_LINE]);
  const isJson = name.endsWith(".json");
  const lists = LISTS.map(([list, elements]) => `${list}: ${JSON.stringify(elements)}`);
  if (!addPreset(config, object, { isJson, fetch }))
    return { kind: "tell", reason: "its lists aren't plain lists", lines: [...lists, ...jestLines(fetch).slice(1)] };
  const edited = config.edited(name);
  return edited === undefined ? tell("it could not be checked after the change") : { kind: "edit", text: edited };
}

/** Returns the lines of a new configuration. */
export function jestLines(fetch: boolean): string[] {
  return [`preset: "${PRESET}"`, ...(fetch ? [`setupFiles: ["${RECORDER}"]`] : [])];
}

function fieldOf(object: SyntaxNode | undefined, key: string | undefined): SyntaxNode | undefined {
  if (object === undefined || key === undefined) return object;
  const value = propertiesOf(object).find(({ name }) => name === key)?.value;
  return value?.type === "ObjectExpression" ? value : undefined;
}

/** Returns false if a list is written in another way. */
function addPreset(
  config: ConfigFile,
  object: SyntaxNode,
  { isJson: json, fetch }: { readonly isJson: boolean; readonly fetch: boolean },
): boolean {
  const quote = (text: string): string => (!json && config.usesSingleQuotes() ? `'${text}'` : JSON.stringify(text));
  const entry = (name: string, value: string): string => `${json ? JSON.stringify(name) : name}: ${value}`;
  const own = new Map(propertiesOf(object).map((property) => [property.name, property]));
  const hasPreset = own.has("preset");
  const isNext = NEXT.some((name) => config.includes(name));
  const fresh = hasPreset ? [] : [entry("preset", quote(PRESET))];
  for (const [name, elements, element] of LISTS) {
    const list = own.get(name);
    if (list === undefined) {
      if (hasPreset || (isNext && name === NEXT_LIST)) fresh.push(entry(name, `[${elements.map(quote).join(", ")}]`));
    } else if (name !== "setupFilesAfterEnv" || hasPreset) {
      if (list.value?.type !== "ArrayExpression") return false;
      config.intoList(list.value, quote(element));
    }
  }
  const setUp = own.get("setupFiles");
  if (fetch && setUp === undefined) fresh.push(entry("setupFiles", `[${quote(RECORDER)}]`));
  if (fetch && setUp !== undefined) {
    if (setUp.value?.type !== "ArrayExpression") return false;
    config.firstIntoList(setUp.value, quote(RECORDER));
  }
  config.intoObject(object, fresh);
  return true;
}
