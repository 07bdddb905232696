import { spawnSync } from "node:child_process";
import { Script } from "node:vm";

/**
 * Takes the types out of TypeScript on standard input. A process of its own, because Node says of this function,
 * wherever it is used, that it is an experiment.
 */
const STRIP = `process.stdout.write(require("node:module").stripTypeScriptTypes(require("node:fs").readFileSync(0, "utf8")));`;

const IMPORT = /^[ \t]*import\s+(?:[\w$*\s{},]+?\s+from\s+)?(["'])(?:(?!\1).)+\1(?:\s*with\s*\{[^}]*\})?[ \t]*;?/gm;

/**
 * Tells whether a configuration's text can be compiled; nothing of it is run. False too where this Node cannot tell.
 */
export function parses(text: string, fileName: string): boolean {
  try {
    if (fileName.endsWith(".json")) JSON.parse(text);
    else if (/\.[cm]?ts$/.test(fileName)) compile(withoutTypes(text));
    else compile(text);
    return true;
  } catch {
    // What is wrong with it does not matter here: it is left as it is.
    return false;
  }
}

function withoutTypes(text: string): string {
  const { status, stdout } = spawnSync(process.execPath, ["--no-warnings", "-e", STRIP], {
    input: text,
    encoding: "utf8",
    env: {},
  });
  if (status !== 0) throw new SyntaxError("types cannot be taken out");
  return stdout;
}

/** A script has no imports and exports, and no `await` at its top: they are taken out first, or let pass. */
function compile(text: string): void {
  const script = text
    .replace(/^\uFEFF?(?:#!.*)?/, "")
    .replace(IMPORT, "")
    .replace(/^[ \t]*export\s+default\b/gm, "void ")
    .replace(/^[ \t]*export\s+(?=(?:async|const|let|var|function|class)\b)/gm, "")
    .replaceAll("import.meta", "({})");
  void new Script(`(async () => {${script}\n})`);
}
