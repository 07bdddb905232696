import type { ConfigEdit, ConfigSource } from "./config-edit.ts";
import { findConfigObject } from "./find-config-object.ts";
import { type Insertion, applyInsertions, intoList, intoObject } from "./insertion.ts";
import { objectProperties } from "./object-properties.ts";
import { parses } from "./parses.ts";
import { type SourceCode, holdsText, lineBreakOf, readSource } from "./source-code.ts";

/** What of veritest a configuration names when it is set up. */
const MARKS: readonly string[] = ["veritest/plugin", "veritest/vitest"];

const PLUGIN = "veritest()";

/**
 * Adds the plugin to a Vitest or Vite configuration. What it is not sure of it leaves to the user, with the lines to
 * write.
 */
export function editVitestConfig({ name, text, esm }: ConfigSource): ConfigEdit {
  const code = readSource(text);
  const tell = (because: string): ConfigEdit => ({
    kind: "tell",
    because,
    lines: [importLine(code, isCommonJs(name, esm, code)), "plugins: [veritest()]"],
  });
  if (code === undefined) return tell("it cannot be read");
  if (MARKS.some((mark) => holdsText(code, mark))) return { kind: "done" };
  if (code.tokens.some(({ kind, text }) => kind === "word" && text === "veritest"))
    return tell("it has something else named veritest");
  const open = findConfigObject(code);
  if (open === undefined) return tell("what it exports is no plain object");
  if (hasProjects(code, open)) return tell("each of its projects needs the plugin");
  const plugin = pluginInsertions(code, open);
  if (typeof plugin === "string") return tell(plugin);
  const edited = applyInsertions(text, [importInsertion(code, isCommonJs(name, esm, code)), ...plugin]);
  return parses(edited, name) ? { kind: "edit", text: edited } : tell("it could not be checked after the change");
}

function pluginInsertions(code: SourceCode, open: number): readonly Insertion[] | string {
  const properties = objectProperties(code, open);
  const plugins = properties.filter(({ name }) => name === "plugins");
  const [first, ...others] = plugins;
  if (first === undefined) {
    // What is spread or computed may hold plugins, which would take the place of these.
    if (properties.some(({ name }) => name === undefined)) return "what is spread into it may hold plugins";
    return [intoObject(code, open, `plugins: [${PLUGIN}]`)];
  }
  const value = first.value ?? -1;
  const after = code.tokens[(code.pairs.get(value) ?? value) + 1]?.text ?? "";
  const isList = code.tokens[value]?.text === "[" && [",", "}", "."].includes(after);
  return isList && others.length === 0 ? intoList(code, value, PLUGIN) : "its plugins are no plain list";
}

/** Plugins of the root are not those of projects. */
function hasProjects(code: SourceCode, open: number): boolean {
  const test = objectProperties(code, open).find(({ name }) => name === "test")?.value;
  if (test === undefined || code.tokens[test]?.text !== "{") return false;
  return objectProperties(code, test).some(({ name }) => name === "projects" || name === "workspace");
}

function isCommonJs(name: string, esm: boolean, code: SourceCode | undefined): boolean {
  if (/\.c[jt]s$/.test(name)) return true;
  if (/\.m[jt]s$/.test(name) || esm) return false;
  return (
    code !== undefined &&
    !code.tokens.some(
      ({ kind, text }, index) =>
        kind === "word" && (text === "import" || text === "export") && code.tokens[index - 1]?.text !== ".",
    )
  );
}

/** Before the first import, else where code begins: below what must be first. */
function importInsertion(code: SourceCode, commonJs: boolean): Insertion {
  const { text, tokens } = code;
  const line = `${importLine(code, commonJs)}${lineBreakOf(text)}`;
  const first = tokens.find(
    ({ kind, text: word, start }) =>
      kind === "word" && (commonJs ? word === "const" : word === "import") && (start === 0 || text[start - 1] === "\n"),
  );
  if (first !== undefined && (!commonJs || /^const [^\n]*require\(/.test(text.slice(first.start))))
    return { at: first.start, text: line };
  const head = /^\uFEFF?(?:(?:#!|\/\/ *@ts-|\/\/\/)[^\n]*\n|["']use strict["'];?\r?\n|\r?\n)*/.exec(text)?.[0] ?? "";
  return { at: head.length, text: `${line}${lineBreakOf(text)}` };
}

function importLine(code: SourceCode | undefined, commonJs: boolean): string {
  const quote = code !== undefined && usesSingleQuotes(code) ? "'" : '"';
  const end = code !== undefined && usesNoSemicolons(code) ? "" : ";";
  const from = `${quote}veritest/plugin${quote}`;
  return commonJs ? `const { veritest } = require(${from})${end}` : `import { veritest } from ${from}${end}`;
}

function usesSingleQuotes({ tokens }: SourceCode): boolean {
  const texts = tokens.filter(({ kind }) => kind === "text");
  return texts.filter(({ text }) => text.startsWith("'")).length * 2 > texts.length;
}

/** By what follows the first thing that is imported. */
function usesNoSemicolons({ tokens }: SourceCode): boolean {
  const from = tokens.findIndex(
    ({ kind, text }, index) =>
      kind === "text" && (tokens[index - 1]?.text === "from" || (text !== "" && tokens[index - 2]?.text === "require")),
  );
  const after = tokens[from + 1]?.text === ")" ? from + 2 : from + 1;
  return from !== -1 && tokens[after]?.text !== ";";
}
