import ts from "typescript";

/** A module of ours as CommonJS, which is what Jest reads without further settings. */
export function toCommonJs(source: string): string {
  return ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2024, esModuleInterop: true },
  }).outputText;
}
