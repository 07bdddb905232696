import { existsSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { type ChangedFile, LINK, blobText } from "./changes.ts";
import { type DiffLimits, type GateFinding, importsOf } from "./check-diff.ts";
import { newAbilities } from "./check-abilities.ts";
import { type CheckedTree, checkPaths } from "./check-paths.ts";
import { isScript } from "./files-with.ts";
import type { GitCall } from "./git.ts";

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
    ...(await newAbilities(changes, checked.tree, call)),
  ];
  return findings.filter(({ rule }) => !allow.some((allowed) => allowed === rule));
}

/**
 * New attributes with which git checks out different bytes than the commit has, which are the ones that are checked.
 */
async function newAttributes(changes: readonly ChangedFile[], call: GitCall): Promise<readonly GateFinding[]> {
  const findings: GateFinding[] = [];
  for (const { path, oldId, newId } of changes.filter((file) => /(?:^|\/)\.gitattributes$/.test(file.path))) {
    for (const { text, line } of addedLines(await blobText(oldId, call), await blobText(newId, call)))
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
    for (const { text, line } of addedLines(await blobText(oldId, call), await blobText(newId, call)))
      if (OTHER_RUNNER.test(text))
        findings.push({ rule: "link", path, line, detail: `it replaces a test runner: ${text.trim()}` });
  }
  return findings;
}

/** An import of a path that is computed from one outside of the repository, or of code in a text. */
const OUTSIDE = /\b(?:import|require)\(\s*(?:\[|(?:os\.)?(?:homedir|tmpdir)\b|process\.env|exec\w*\(|["'`]data:)/;

/** New lines of code that import a file no commit has. */
async function newLines(changes: readonly ChangedFile[], call: GitCall): Promise<readonly GateFinding[]> {
  const findings: GateFinding[] = [];
  for (const { path, oldId, newId } of changes.filter((file) => isScript(file.path) && file.newMode !== LINK)) {
    const [before, after] = [await blobText(oldId, call), await blobText(newId, call)];
    const imported = new Set(importsOf(before).map(({ module }) => module));
    const added = addedLines(before, after);
    const named = added.flatMap(({ text, line }) => outsideFiles(codeOf(text), line));
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
    }
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

/** A line without its comment, and with the pieces of a cut text joined: `"vite" + "st"`. */
function codeOf(line: string): string {
  return line.replace(/(?:^|\s)\/\/.*|^\s*\/?\*.*/, "").replace(/(["'`])\s*\+\s*["'`]/g, "");
}
