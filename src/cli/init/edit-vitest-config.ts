import { type SyntaxNode, child, list, word } from "../../kernel/syntax.ts";
import type { DetectedClients } from "./detect-clients.ts";
import { type ConfigEdit, type ConfigFile, type ConfigSource, propertiesOf, readConfig } from "./config-source.ts";

/** Modules of veritest that a set-up configuration names. */
const MARKS: readonly string[] = ["veritest/plugin", "veritest/vitest"];

/** Reason to leave a configuration with projects to the user. */
export const PLUGIN_IN_EACH = "each of its projects needs the plugin (in a package, run veritest init there)";

/** The call that makes the plugin, with the recorders that a project needs. */
export function pluginCall({ fetch, aiSdk }: Pick<DetectedClients, "fetch" | "aiSdk">): string {
  const options = [...(fetch ? ["fetch: true"] : []), ...(aiSdk ? ["aiSdk: true"] : [])];
  return options.length === 0 ? "veritest()" : `veritest({ ${options.join(", ")} })`;
}

/**
 * Adds the plugin to a Vitest or Vite configuration. Changes that aren't certain are left to the user, with the lines
 * to write.
 */
export function editVitestConfig({ name, text, esm }: ConfigSource, plugin: string = "veritest()"): ConfigEdit {
  const config = readConfig(text, name);
  const isCommon = isCommonJs(name, esm, config);
  const tell = (reason: string): ConfigEdit => ({
    kind: "tell",
    reason,
    lines: [importLine(config, isCommon), `plugins: [${plugin}]`],
  });
  if (config === undefined) return tell("it can't be parsed");
  if (MARKS.some((mark) => config.includes(mark))) return { kind: "done" };
  if (config.names("veritest")) return tell("another value in it is named veritest");
  const object = config.exported();
  if (object === undefined) return tell("its export isn't a plain object");
  // Plugins of the root aren't those of projects, which may be in any object of the file.
  if (config.hasProperty("projects") || config.hasProperty("workspace")) return tell(PLUGIN_IN_EACH);
  const problem = addPlugin(config, object, plugin);
  if (problem !== undefined) return tell(problem);
  addImport(config, isCommon);
  const edited = config.edited(name);
  return edited === undefined ? tell("it could not be checked after the change") : { kind: "edit", text: edited };
}

/** Adds the plugin, or returns the reason why it can't be added. */
function addPlugin(config: ConfigFile, object: SyntaxNode, plugin: string): string | undefined {
  const properties = propertiesOf(object);
  const [first, ...more] = properties.filter(({ name }) => name === "plugins");
  if (first === undefined) {
    // A spread or computed member may contain plugins, which would replace these.
    if (properties.some(({ name }) => name === undefined)) return "an object that is spread into it might have plugins";
    config.intoObject(object, [`plugins: [${plugin}]`]);
    return undefined;
  }
  const plugins = listAt(first.value);
  if (plugins === undefined || more.length > 0) return "its plugins aren't a plain list";
  config.intoList(plugins, plugin);
  return undefined;
}

/** Methods of a list whose result has the list's own elements. */
const KEEPING: ReadonlySet<string> = new Set(["filter", "concat", "flat"]);

/** A list literal, also one that is filtered or the like: `[…].filter(Boolean)`. */
function listAt(node: SyntaxNode | undefined): SyntaxNode | undefined {
  if (node?.type === "ArrayExpression") return node;
  const callee = node?.type === "CallExpression" ? child(node, "callee") : undefined;
  if (callee?.type !== "MemberExpression" || callee["computed"] === true) return undefined;
  const method = word(child(callee, "property"), "name") ?? "";
  return KEEPING.has(method) ? listAt(child(callee, "object")) : undefined;
}

function isCommonJs(name: string, esm: boolean, config: ConfigFile | undefined): boolean {
  if (/\.c[jt]s$/.test(name)) return true;
  if (/\.m[jt]s$/.test(name) || esm || config === undefined) return false;
  return !list(config.program, "body").some(({ type }) => /^(?:Import|Export)/.test(type));
}

/** Adds an import before the first one. Without imports, adds it where code begins, below directives. */
function addImport(config: ConfigFile, isCommon: boolean): void {
  const { text } = config;
  const line = `${importLine(config, isCommon)}${config.lineBreak()}`;
  const first = importsOf(config).find(({ type, start }) => {
    const isWanted = type === (isCommon ? "VariableDeclaration" : "ImportDeclaration");
    return isWanted && (start === 0 || text[start - 1] === "\n");
  });
  if (first !== undefined) return config.insert(first.start, line);
  const head = /^\uFEFF?(?:(?:#!|\/\/ *@ts-|\/\/\/)[^\n]*\n|["']use strict["'];?\r?\n|\r?\n)*/.exec(text)?.[0] ?? "";
  config.insert(head.length, `${line}${config.lineBreak()}`);
}

/** The statements that load modules. */
function importsOf({ program, text }: ConfigFile): readonly SyntaxNode[] {
  return list(program, "body").filter(
    (node) =>
      node.type === "ImportDeclaration" ||
      (node.type === "VariableDeclaration" &&
        word(node, "kind") === "const" &&
        /^[^\n]*require\(/.test(text.slice(node.start, node.end))),
  );
}

function importLine(config: ConfigFile | undefined, isCommon: boolean): string {
  const quote = config?.usesSingleQuotes() === true ? "'" : '"';
  const first = config === undefined ? undefined : importsOf(config)[0];
  // By how the first thing that is imported ends.
  const end = first === undefined || config?.text[first.end - 1] === ";" ? ";" : "";
  const from = `${quote}veritest/plugin${quote}`;
  return isCommon ? `const { veritest } = require(${from})${end}` : `import { veritest } from ${from}${end}`;
}
