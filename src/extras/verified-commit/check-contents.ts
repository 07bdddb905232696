import { existsSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { type ChangedFile, LINK, isNoContent } from "./changes.ts";
import { type DiffLimits, type GateFinding, importsOf, isTestFile } from "./check-diff.ts";
import { type CheckedTree, checkPaths } from "./check-paths.ts";
import { type GitCall, git } from "./git.ts";

/** Checks the contents of changed files: what isn't in a commit, and what only tests see, must not decide on checks. */
export async function checkContents(
  changes: readonly ChangedFile[],
  { allow, ...checked }: Pick<DiffLimits, "allow"> & CheckedTree,
  call: GitCall,
): Promise<readonly GateFinding[]> {
  const findings = [
    ...(await checkPaths(changes, checked, call)),
    ...(await newAttributes(changes, call)),
    ...(await newRunners(changes, call)),
    ...(await newLines(changes, call)),
  ];
  return findings.filter(({ rule }) => !allow.some((allowed) => allowed === rule));
}

/**
 * New attributes with which git checks out different bytes than the commit has, which are the ones that are checked.
 */
async function newAttributes(changes: readonly ChangedFile[], call: GitCall): Promise<readonly GateFinding[]> {
  const findings: GateFinding[] = [];
  for (const { path, oldId, newId } of changes.filter((file) => /(?:^|\/)\.gitattributes$/.test(file.path))) {
    for (const { text, line } of addedLines(await textOf(oldId, call), await textOf(newId, call)))
      if (/\s(?:ident|filter=|working-tree-encoding=|eol=crlf)/.test(text))
        findings.push({
          rule: "attributes",
          path,
          line,
          detail: `git's checkout differs from the bytes in the commit: ${text}`,
        });
  }
  return findings;
}

/** A dependency on a test runner that isn't a version of its package. */
const OTHER_RUNNER = new RegExp(
  String.raw`"(?:vitest|jest|chai|mocha|expect|@(?:vitest|jest)\/[\w-]+)"\s*:\s*` +
    String.raw`"(?:file|link|portal|patch|npm|workspace|git|https?)[:+]`,
);

/** Test runners that the next installation would take from elsewhere: the checks run the installed ones. */
async function newRunners(changes: readonly ChangedFile[], call: GitCall): Promise<readonly GateFinding[]> {
  const findings: GateFinding[] = [];
  for (const { path, oldId, newId } of changes.filter((file) => /(?:^|\/)package\.json$/.test(file.path))) {
    for (const { text, line } of addedLines(await textOf(oldId, call), await textOf(newId, call)))
      if (OTHER_RUNNER.test(text))
        findings.push({ rule: "link", path, line, detail: `it replaces a test runner: ${text.trim()}` });
  }
  return findings;
}

/** Modules of test runners, and the variables and names by which code learns that one runs. */
const RUNNER = /^(?:vitest|@jest\/globals|@vitest\/[\w-]+|node:test|chai)$/;
const TELLS = new RegExp(
  [
    String.raw`\b(?:VITEST(?:_\w+)?|JEST_WORKER_ID|NODE_TEST_CONTEXT|npm_(?:lifecycle|package|config)_\w+)\b`,
    String.raw`\b(?:vitest|jest)\b`,
    String.raw`\bNODE_ENV\W{1,8}test\b|\bprocess\.env\.(?:TEST\b|(?:BASE_URL|DEV|PROD|SSR)\s*(?:\)|&&|[!=]=|\?[^?.]))`,
    String.raw`__(?:vitest|vite_|jest)|["'\`]VITE(?:ST?)?_?["'\`]|\benv\[\s*["'\`][^\]]*\+`,
    // The process or thread in which a runner executes code, its callers, and the variables of a runner.
    String.raw`\bprocess\.(?:send|connected|channel|execArgv|title|ppid|listener\w+|getActive\w+)\b`,
    String.raw`\bprocess\.pid\s*[<>!=%&]|\bisMainThread\b|\bin globalThis\b`,
    String.raw`\.stack\b.*\.(?:includes|match|test|indexOf|search|split)\(|stackTraceLimit`,
    String.raw`\b(?:test|exec)\((?:new )?Error\(`,
    String.raw`\bError\([^)]*\)\.stack\.length`,
    String.raw`(?:[kK]eys|entries|Names|Symbols)\((?:globalThis|process\.env)\)`,
    String.raw`import\.meta\.env\s*(?:\?[^.]|\)|&&|\|\||[!=]=)`,
    // The loader of modules, the answer to an assertion, and the texts of tests.
    String.raw`\bisModuleNamespaceObject\b|\btypeof arguments\b|\basymmetricMatch\b`,
    String.raw`\bread\w*\(.*["'\`][^"'\`]*(?:\.(?:test|spec)\.|\b(?:tests?|__\w+__)/)`,
  ].join("|"),
);
/** Code that replaces a function of JavaScript, which assertions call: `Object.is = () => true`. */
const PATCHES = new RegExp(
  [
    String.raw`\b(?:Object|Array|Promise|JSON|Math|Reflect|Number|String|RegExp|Map|Set|Symbol|Function|Error)`,
    String.raw`(?:\.prototype)?(?:\.\w+|\[[^\]]+\])\s*=[^=>]|\bglobalThis(?:\.\w+|\[[^\]]+\])\s*=[^=>]|`,
    String.raw`\b(?:assign|definePropert\w+|set)\(\s*(?:Object|Array|Promise|JSON|Reflect|globalThis)\b`,
  ].join(""),
);
/** An import of a path that is computed from one outside of the repository, or of code in a text. */
const OUTSIDE = /\b(?:import|require)\(\s*(?:\[|(?:os\.)?(?:homedir|tmpdir)\b|process\.env|exec\w*\(|["'`]data:)/;
const CODE = /\.(?:[cm]?[jt]sx?|vue|svelte)$/;

/** New lines of code that import a file no commit has, or that can tell a test from a real run. */
async function newLines(changes: readonly ChangedFile[], call: GitCall): Promise<readonly GateFinding[]> {
  const findings: GateFinding[] = [];
  for (const { path, oldId, newId } of changes.filter((file) => CODE.test(file.path) && file.newMode !== LINK)) {
    const [before, after] = [await textOf(oldId, call), await textOf(newId, call)];
    const lines = after.split("\n");
    const imported = new Set(importsOf(before).map(({ module }) => module));
    const isTested = isTestFile(path) || /(?:^|\/)[^/]*\.config\./.test(path);
    const added = addedLines(before, after);
    const named = added.flatMap(({ text, line }) => outsideFiles(codeOf(text), line));
    const aware = new Set(added.flatMap(({ text, line }) => (isAware(codeOf(text)) ? [line] : [])));
    const imports = importsOf(after).filter(({ module }) => !imported.has(module));
    const isNamedTwice = ({ module, line }: { readonly module: string; readonly line: number }): boolean =>
      imports.some((each) => each.module === module && each.line === line);
    for (const { module, line } of named.filter((each) => !isNamedTwice(each)))
      findings.push({
        rule: "link",
        path,
        line,
        detail: `it refers to a file that isn't in the repository: ${module}`,
      });
    for (const { text, line } of added.filter((each) => OUTSIDE.test(codeOf(each.text))))
      findings.push({
        rule: "link",
        path,
        line,
        detail: `it imports code that isn't in the repository: ${text.trim()}`,
      });
    for (const { module, line } of imports) {
      if (/^file:|(?:^|\/)node_modules\//.test(module) || (isAbsolute(module) && existsSync(module)))
        findings.push({
          rule: "link",
          path,
          line,
          detail: `it imports a file that isn't in the repository: ${module}`,
        });
      if (RUNNER.test(module)) aware.add(line);
    }
    for (const line of isTested ? [] : aware)
      findings.push({
        rule: "test-aware",
        path,
        line,
        detail: `this code can detect that a test runs it, or changes how tests run: ${lines[line - 1] ?? ""}`,
      });
  }
  return findings;
}

/** Returns the lines of a text that its old version doesn't have, with their numbers from 1. */
function addedLines(before: string, after: string): readonly { readonly text: string; readonly line: number }[] {
  const old = new Set(before.split("\n"));
  return after.split("\n").flatMap((text, index) => (old.has(text) ? [] : [{ text, line: index + 1 }]));
}

/** Folders that everybody has, without those that everybody can write to. */
const SYSTEM = /^\/(?:bin|dev(?!\/shm)|etc|lib|opt|proc|sbin|sys|usr|var(?!\/tmp))\//;
/** A file in a cache of the linked packages, which a run may change. */
const CACHED = /(?:^|\/)node_modules\/\.\w/;

/** Files by their paths in quotes: absolute ones, except for the system's, and those of caches. */
function outsideFiles(text: string, line: number): readonly { readonly module: string; readonly line: number }[] {
  return [...text.matchAll(/["'`]([^"'`\s]{3,400})["'`]/g)]
    .map(([, module = ""]) => ({ module, line }))
    .filter(({ module }) => CACHED.test(module) || (isAbsolute(module) && !SYSTEM.test(module) && isFile(module)));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isAware(line: string): boolean {
  return TELLS.test(line) || PATCHES.test(line);
}

/** A line without its comment, and with the pieces of a cut text joined: `"vite" + "st"`. */
function codeOf(line: string): string {
  return line.replace(/(?:^|\s)\/\/.*|^\s*\/?\*.*/, "").replace(/(["'`])\s*\+\s*["'`]/g, "");
}

/** The content of a blob; empty if there is none. */
async function textOf(id: string, call: GitCall): Promise<string> {
  const blob = isNoContent(id) ? undefined : await git(["cat-file", "blob", id], call);
  return blob?.ok === true ? blob.value : "";
}
