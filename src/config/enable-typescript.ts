import type { LoadFnOutput, LoadHookSync, ResolveFnOutput, ResolveHookSync } from "node:module";
import { fileURLToPath } from "node:url";
import { codeOf, isAnyError } from "../kernel/error-message.ts";
import { hostProcess } from "../kernel/host-process.ts";

const ENABLED = Symbol.for("veritest.typescript");

/**
 * Makes Node accept TypeScript, and JavaScript for Babel, as CommonJS compilers do, in this process from now on:
 * `import` and `export` in a package with `"type": "commonjs"`, as `npm init` writes it, and imports without an
 * extension. Packages and files without such syntax are unchanged. Does nothing if Node has no hooks: it doesn't accept
 * TypeScript then either.
 */
export function enableTypeScript(): void {
  const host = hostProcess();
  const { registerHooks } = host.getBuiltinModule("node:module");
  if (Reflect.has(host, ENABLED) || typeof registerHooks !== "function") return;
  const latest: LatestFile = { url: undefined };
  Reflect.set(host, ENABLED, latest);
  registerHooks({
    resolve: resolveEnding,
    load: (url, ...rest) => {
      latest.url = url;
      return loadAsModule(url, ...rest);
    },
  });
}

/** File that the process loaded last. In Jest, each test file has its own instance of this module. */
interface LatestFile {
  url: string | undefined;
}

/**
 * Returns the path of the file that has the invalid syntax, because Node's error doesn't name it in JavaScript: Node
 * compiles each file when it's loaded, and loads no other after an error.
 */
export function fileOfSyntaxError(thrown: unknown): string | undefined {
  const url: unknown = Reflect.get(Object(Reflect.get(hostProcess(), ENABLED)), "url");
  return typeof url === "string" && url.startsWith("file:") && isCompileError(thrown) ? fileURLToPath(url) : undefined;
}

/** Returns true if Node threw the error while it compiled a file: the innermost frame is Node's. */
function isCompileError(thrown: unknown): boolean {
  if (!isAnyError(thrown)) return false;
  const [name, stack] = ["name", "stack"].map((key): unknown => Reflect.get(Object(thrown), key));
  return name === "SyntaxError" && /^ +at .*$/m.exec(String(stack))?.[0].includes("(node:internal/") === true;
}

function resolveEnding(...[specifier, { parentURL = "" }, next]: Parameters<ResolveHookSync>): ResolveFnOutput {
  try {
    return next(specifier);
  } catch (thrown) {
    const isOurs = /^\.{1,2}\//.test(specifier) && /\.[cm]?[jt]s$/.test(parentURL) && !isPackage(parentURL);
    if (!isOurs || !NOT_FOUND.has(codeOf(thrown) ?? "")) throw thrown;
    const endings = parentURL.endsWith("ts") ? ["ts", "js"] : ["js", "ts"];
    const added = endings.flatMap((ending) => [`${specifier}.${ending}`, `${specifier}/index.${ending}`]);
    const candidates = [specifier.replace(/\.([cm]?)js$/, ".$1ts"), ...added];
    // The first error names the specifier as the file writes it.
    const resolved = firstOf(
      candidates.filter((other) => other !== specifier),
      next,
    );
    if (resolved !== undefined) return resolved;
    throw thrown;
  }
}

function firstOf(
  specifiers: readonly string[],
  next: (specifier: string) => ResolveFnOutput,
): ResolveFnOutput | undefined {
  for (const specifier of specifiers) {
    try {
      return next(specifier);
    } catch {
      // The next one is tried.
    }
  }
  return undefined;
}

const NOT_FOUND: ReadonlySet<string> = new Set([
  "ERR_MODULE_NOT_FOUND",
  "ERR_UNSUPPORTED_DIR_IMPORT",
  "MODULE_NOT_FOUND",
]);

function loadAsModule(...[url, context, next]: Parameters<LoadHookSync>): LoadFnOutput {
  const loaded = next(url, context);
  const isTypeScript = loaded.format === "commonjs-typescript";
  if ((!isTypeScript && loaded.format !== "commonjs") || isPackage(url)) return loaded;
  const text = textOf(loaded.source);
  if (!hasModuleSyntax(text) || (!isTypeScript && isCommonJs(text))) return loaded;
  return { ...loaded, format: isTypeScript ? "module-typescript" : "module" };
}

/** Returns whether Node compiles JavaScript as CommonJS. TypeScript can't be compiled before its types are removed. */
function isCommonJs(text: string): boolean {
  try {
    hostProcess().getBuiltinModule("node:vm").compileFunction(text);
    return true;
  } catch {
    return false;
  }
}

function isPackage(url: string): boolean {
  return url.includes("/node_modules/");
}

function textOf(source: unknown): string {
  if (typeof source === "string") return source;
  return ArrayBuffer.isView(source) ? Buffer.from(source.buffer, source.byteOffset, source.byteLength).toString() : "";
}

/**
 * Returns whether a line looks like a module statement. Lines of strings match too, so CommonJS syntax is checked
 * first.
 */
function hasModuleSyntax(text: string): boolean {
  const code = text.replaceAll(/\/\*[^]*?\*\/|`(?:\\[^]|[^`\\])*`|(?<!:)\/\/[^\n]*/g, "");
  return (
    /^(?:import|export)\b(?!\s*[(.])/m.test(code) && !/\b(?:module\.)?exports\s*[.=[]|^import\s+\w+\s*=/m.test(code)
  );
}
