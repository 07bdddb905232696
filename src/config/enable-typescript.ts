import type { LoadFnOutput, LoadHookSync, ResolveFnOutput, ResolveHookSync } from "node:module";
import { codeOf } from "../kernel/error-message.ts";
import { hostProcess } from "../kernel/host-process.ts";

const ENABLED = Symbol.for("veritest.typescript");

/**
 * Makes Node accept TypeScript as CommonJS compilers do, in this process from now on: `import` and `export` in a
 * package with `"type": "commonjs"`, as `npm init` writes it, and imports without an extension. Packages and files
 * without such syntax are unchanged. Does nothing if Node has no hooks: it doesn't accept TypeScript then either.
 */
export function enableTypeScript(): void {
  const host = hostProcess();
  const { registerHooks } = host.getBuiltinModule("node:module");
  if (Reflect.has(host, ENABLED) || typeof registerHooks !== "function") return;
  Reflect.set(host, ENABLED, true);
  registerHooks({ resolve: resolveEnding, load: loadAsModule });
}

function resolveEnding(...[specifier, { parentURL = "" }, next]: Parameters<ResolveHookSync>): ResolveFnOutput {
  try {
    return next(specifier);
  } catch (thrown) {
    const isOurs = /^\.{1,2}\//.test(specifier) && /\.[cm]?ts$/.test(parentURL) && !isPackage(parentURL);
    if (!isOurs || !NOT_FOUND.has(codeOf(thrown) ?? "")) throw thrown;
    const candidates = [specifier.replace(/\.([cm]?)js$/, ".$1ts"), `${specifier}.ts`, `${specifier}/index.ts`];
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
  if (loaded.format !== "commonjs-typescript" || isPackage(url)) return loaded;
  return hasModuleSyntax(textOf(loaded.source)) ? { ...loaded, format: "module-typescript" } : loaded;
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
