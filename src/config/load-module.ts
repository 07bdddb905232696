import { createRequire } from "node:module";
import { codeOf, messageOf } from "../base/thrown.ts";
import { takeTypeScript } from "./take-typescript.ts";

/**
 * What Node answers for TypeScript that it cannot take as it is: enums, imports without an ending, versions before
 * 22.18.
 */
const NEEDS_JITI: readonly (string | undefined)[] = [
  "ERR_UNKNOWN_FILE_EXTENSION",
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
  "ERR_MODULE_NOT_FOUND",
  "MODULE_NOT_FOUND",
];

/**
 * Loads a module of a project, TypeScript too, by its absolute path: by `require`, which takes ES modules, so that the
 * ESM and the CommonJS build load alike; by the project's own jiti where Node cannot. Throws what the module throws.
 */
export function loadModule(file: string): unknown {
  takeTypeScript();
  try {
    return createRequire(file)(file);
  } catch (thrown) {
    return loadByJiti(file, thrown);
  }
}

/**
 * Loads a module by the project's jiti, after Node could not. Throws what Node threw where jiti cannot help, and says
 * how to go on where it is not installed.
 */
export function loadByJiti(file: string, thrown: unknown): unknown {
  if (!NEEDS_JITI.includes(codeOf(thrown))) throw thrown;
  const load = jitiFor(file);
  if (load !== undefined) return load();
  throw new Error(
    `${messageOf(thrown)}. Write it in plain TypeScript (no enums, imports with their endings), or install jiti`,
    { cause: thrown },
  );
}

/** The project's own jiti, ready to load the file; undefined where it is not installed. */
function jitiFor(file: string): (() => unknown) | undefined {
  const require = createRequire(file);
  const create: unknown = Reflect.get(Object(optional("jiti", require)), "createJiti");
  // Node may have loaded this one, and not what it imports: jiti would take it as it is there.
  Reflect.deleteProperty(require.cache, file);
  const jiti = isFunction(create) ? create(file) : undefined;
  return isFunction(jiti) ? () => jiti(file) : undefined;
}

function isFunction(value: unknown): value is (argument: string) => unknown {
  return typeof value === "function";
}

function optional(name: string, require: NodeJS.Require): unknown {
  try {
    return require(name);
  } catch {
    // An optional helper: the caller says how to go on without it.
    return undefined;
  }
}

/** What a module exports by default; the module itself where it has no default. */
export function defaultOf(module: unknown): unknown {
  return typeof module === "object" && module !== null && "default" in module ? module.default : module;
}
