import { dirname, join } from "node:path";
import { codeOf, messageOf } from "../kernel/error-message.ts";
import { hostProcess } from "../kernel/host-process.ts";
import { lineOfError, withFrames } from "../kernel/stack-locations.ts";
import { enableTypeScript, fileOfSyntaxError } from "./enable-typescript.ts";

const MISSING: readonly (string | undefined)[] = ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"];

/** Node's error codes for files that it can't load directly: enums, imports of JSON or by an alias. */
const NEEDS_JITI: readonly (string | undefined)[] = [
  ...MISSING,
  "ERR_IMPORT_ATTRIBUTE_MISSING",
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
];

const UNKNOWN_EXTENSION = "ERR_UNKNOWN_FILE_EXTENSION";

/** Node's message if a file has both `import` and a name of CommonJS, which compilers allow. */
const COMMON_JS_NAME = /^[\w.]+ is not defined in ES module scope/;

const PATH_ALIAS = "If it's a path alias of tsconfig.json (paths), install jiti: npm install --save-dev jiti";

/**
 * Loads a module of a project, TypeScript too, by its absolute path: by `require`, which takes ES modules, so that the
 * ESM and the CommonJS build load alike; by the project's own jiti if Node can't. Throws what the module throws.
 */
export function loadModule(file: string): unknown {
  enableTypeScript();
  // An import that fails has ten frames of Node and its hooks before the line of the project's file.
  return withFrames((): unknown => {
    try {
      // Node before 22.13 warns about each ES module that is required, except from packages: require it as one.
      return requireAt(join(dirname(file), "node_modules/veritest/config"))(file);
    } catch (thrown) {
      return loadByJiti(file, thrown);
    }
  });
}

/**
 * Loads a module by the project's jiti, after Node couldn't. Throws Node's error if jiti can't help, and an error that
 * says how to go on if jiti isn't installed.
 */
export function loadByJiti(file: string, thrown: unknown): unknown {
  const code = codeOf(thrown);
  const isUnread = code === UNKNOWN_EXTENSION || isReadAsJavaScript(file, thrown);
  const message = loadProblem(thrown);
  if (!isUnread && !NEEDS_JITI.includes(code) && !COMMON_JS_NAME.test(message)) throw thrown;
  const load = jitiFor(file);
  if (load !== undefined) return load();
  if (/^Cannot find (?:package|module '[^./])/.test(message))
    throw new Error(`${message}. ${PATH_ALIAS}`, { cause: thrown });
  if (MISSING.includes(code) || (code === UNKNOWN_EXTENSION && !/"\.[cm]?ts"/.test(message))) throw thrown;
  const way = isUnread
    ? `Node ${process.versions.node} can't load TypeScript. Use Node 22.18 or newer, write it in JavaScript`
    : "Use code that Node can load (no enums, imports with file extensions)";
  throw new Error(`${message}. ${way}, or install jiti: npm install --save-dev jiti`, { cause: thrown });
}

/** Returns why a module couldn't be loaded, with the file that has the missing import or invalid syntax. */
export function loadProblem(thrown: unknown, shownFile?: string): string {
  const message = messageOf(thrown).replace(/\nRequire stack:\n- (.*)[^]*/, " imported from $1");
  const path = fileOfSyntaxError(thrown);
  if (path === undefined || path === shownFile) return message;
  const line = lineOfError(thrown, path);
  return `${message} in ${line === undefined ? path : `${path}:${line}`}`;
}

/** A Node without TypeScript reads the file as JavaScript, and `require` fails at the first type. */
function isReadAsJavaScript(file: string, thrown: unknown): boolean {
  const takesTypes = process.features.typescript !== undefined && process.features.typescript !== false;
  return !takesTypes && /\.[cm]?ts$/.test(file) && Reflect.get(Object(thrown), "name") === "SyntaxError";
}

/** Returns the project's own jiti for the file; undefined if it isn't installed. */
function jitiFor(file: string): (() => unknown) | undefined {
  const require = requireAt(file);
  const create: unknown = Reflect.get(Object(optional("jiti", require)), "createJiti");
  // Node may have loaded this one, and not what it imports: jiti would take it as it is there.
  Reflect.deleteProperty(require.cache, file);
  if (!isFunction(create)) return undefined;
  const load = (options: object): unknown => {
    const jiti = create(file, options);
    return isFunction(jiti) ? jiti(file) : undefined;
  };
  return () => {
    try {
      return load({});
    } catch (thrown) {
      if (codeOf(thrown) !== "MODULE_NOT_FOUND") throw thrown;
      return withPathAliases(load, thrown);
    }
  };
}

/** Loads with the path aliases of tsconfig.json. Throws the first error if it can't. */
function withPathAliases(load: (options: object) => unknown, missing: unknown): unknown {
  try {
    return load({ tsconfigPaths: true });
  } catch {
    throw missing;
  }
}

/** Node's own `require`, also in a sandbox of Jest, whose `require` can't load ES modules or TypeScript. */
function requireAt(path: string): NodeJS.Require {
  return hostProcess().getBuiltinModule("node:module").createRequire(path);
}

function isFunction(value: unknown): value is (...values: unknown[]) => unknown {
  return typeof value === "function";
}

function optional(name: string, require: NodeJS.Require): unknown {
  try {
    return require(name);
  } catch {
    // Optional: the caller reports how to continue without it.
    return undefined;
  }
}

/** Returns a module's default export, or the module itself if it has none. */
export function defaultOf(module: unknown): unknown {
  return typeof module === "object" && module !== null && "default" in module ? module.default : module;
}
