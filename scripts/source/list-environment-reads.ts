import type { SourceFile } from "./list-twins.ts";

/** File that declares every environment variable and reads them. */
const DECLARED = "src/kernel/environment.ts";
const READ = /\bprocess\.env\b|\benv(?:ironment)?\[["'`\w]/;
const COMMENT = /^\s*(?:\/?\*|\/\/)/;

/** Lists lines that read the environment without the declarations of its variables. */
export function listEnvironmentReads(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => path !== DECLARED)
    .flatMap(({ path, text }) =>
      text.split("\n").flatMap((line, index) => {
        if (COMMENT.test(line) || !READ.test(line)) return [];
        return [`${path}:${String(index + 1)} reads the environment: declare the variable in ${DECLARED}.`];
      }),
    );
}
