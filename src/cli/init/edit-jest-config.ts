import type { ConfigEdit, ConfigSource } from "./config-edit.ts";
import { findConfigObject } from "./find-config-object.ts";
import { type Insertion, applyInsertions, intoList, intoObject } from "./insertion.ts";
import { type Property, objectProperties } from "./object-properties.ts";
import { parses } from "./parses.ts";
import { type SourceCode, holdsText, readSource } from "./source-code.ts";

/** What of veritest a configuration names when it is set up. */
const MARKS: readonly string[] = ["veritest/jest", "veritest/jest-setup"];

const PRESET = "veritest/jest";

/** What the preset sets: a list of the configuration's own takes the place of the preset's, apart from set-up files. */
const LISTS: readonly (readonly [name: string, elements: readonly string[], own: string])[] = [
  ["setupFilesAfterEnv", ["veritest/jest-setup"], "veritest/jest-setup"],
  ["snapshotSerializers", ["veritest/serializer"], "veritest/serializer"],
  ["reporters", ["default", "veritest/reporter/jest"], "veritest/reporter/jest"],
  ["watchPathIgnorePatterns", ["/__baselines__/"], "/__baselines__/"],
];

/**
 * Adds the preset to a Jest configuration, or what the preset holds where there is another one. `key` is the field of
 * package.json that holds the configuration. What it is not sure of it leaves to the user, with the lines to write.
 */
export function editJestConfig({ name, text }: Omit<ConfigSource, "esm">, key?: string): ConfigEdit {
  const code = readSource(text);
  const tell = (because: string): ConfigEdit => ({ kind: "tell", because, lines: [`preset: "${PRESET}"`] });
  if (code === undefined) return tell("it cannot be read");
  if (MARKS.some((mark) => holdsText(code, mark))) return { kind: "done" };
  const open = name.endsWith(".json") ? jsonObject(code, key) : findConfigObject(code);
  if (open === undefined) return tell("what it exports is no plain object");
  const properties = objectProperties(code, open);
  if (properties.some((property) => property.name === undefined))
    return tell("what is spread into it may hold a preset");
  if (properties.some((property) => property.name === "projects")) return tell("each of its projects needs the preset");
  const insertions = insertionsFor(code, open, name.endsWith(".json"));
  if (insertions === undefined)
    return {
      kind: "tell",
      because: "its lists are no plain lists",
      lines: LISTS.map(([list, elements]) => `${list}: ${JSON.stringify(elements)}`),
    };
  const edited = applyInsertions(text, insertions);
  return parses(edited, name) ? { kind: "edit", text: edited } : tell("it could not be checked after the change");
}

function jsonObject(code: SourceCode, key: string | undefined): number | undefined {
  const top = code.tokens[0]?.text === "{" ? 0 : undefined;
  if (top === undefined || key === undefined) return top;
  const value = objectProperties(code, top).find(({ name }) => name === key)?.value;
  return value !== undefined && code.tokens[value]?.text === "{" ? value : undefined;
}

/** Undefined where a list is written in another way. */
function insertionsFor(code: SourceCode, open: number, json: boolean): readonly Insertion[] | undefined {
  const quote = quoteOf(code, json);
  const properties = objectProperties(code, open);
  const own = new Map(properties.map((property) => [property.name, property]));
  const fresh: string[] = own.has("preset") ? [] : [entry("preset", quote(PRESET), json)];
  const insertions: Insertion[] = [];
  for (const [name, elements, element] of LISTS) {
    const list = own.get(name);
    if (list !== undefined) {
      if (name === "setupFilesAfterEnv" && !own.has("preset")) continue;
      if (!isList(code, list)) return undefined;
      insertions.push(...intoList(code, list.value ?? -1, quote(element)));
    } else if (own.has("preset")) fresh.push(entry(name, `[${elements.map(quote).join(", ")}]`, json));
  }
  return [...fresh.map((text) => intoObject(code, open, text)).toReversed(), ...insertions];
}

function entry(name: string, value: string, json: boolean): string {
  return `${json ? JSON.stringify(name) : name}: ${value}`;
}

function isList({ tokens, pairs }: SourceCode, { value, end }: Property): boolean {
  return value !== undefined && tokens[value]?.text === "[" && (pairs.get(value) ?? -1) + 1 === end;
}

function quoteOf({ tokens }: SourceCode, json: boolean): (text: string) => string {
  const texts = tokens.filter(({ kind }) => kind === "text");
  const single = !json && texts.filter(({ text }) => text.startsWith("'")).length * 2 > texts.length;
  return (text) => (single ? `'${text}'` : JSON.stringify(text));
}
