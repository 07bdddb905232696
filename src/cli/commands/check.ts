import { type Dirent, existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { isWithin } from "../../kernel/files/real-directory.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { type LoadedConfig, loadConfig } from "../../config/load-config.ts";
import { type ProjectPaths, targetName } from "../../kernel/files/project-paths.ts";
import { DEFAULT_POLICY } from "../../updates/policy.ts";
import { matchesName } from "../../kernel/matches-name.ts";
import { type BaselineFile, baselineFiles, baselineRoots } from "../../baseline/baseline-files.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import { JSON_OPTION, REASON_OPTION } from "../common-options.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import { type Finding, type SecretRules, baselineCheck, isDamage, secretRules } from "../inspect/check-baseline.ts";
import { checkState } from "../inspect/check-state.ts";
import { findObsoleteGroups, obsoleteReason } from "../inspect/find-obsolete-groups.ts";
import { migrateBaselines } from "../inspect/migrate-baselines.ts";
import { type StoredBaseline, readStored, storedBaselines } from "../inspect/stored-baseline.ts";
import type { CliIo } from "../terminal/io.ts";
import { printRefusal, oneLine, printLines, printJson } from "../terminal/print.ts";
import { plainCount } from "../../explain/wording.ts";

/**
 * `veritest check`: reports problems of committed files without running a step. Exit code 1 for violations, 2 for
 * damage.
 */
export const checkCommand: CliCommand = {
  arguments: [
    {
      name: "[paths...]",
      description: "Files or directories to check; * matches any characters (default: all)",
    },
  ],
  options: [
    { flags: "--with-state", description: "also check pending changes, notes and receipts, which aren't in git" },
    {
      flags: "--untrusted",
      description: "don't run code of the project; skip the configuration and obsolete baselines",
    },
    { flags: "--migrate", description: "update baselines of an older format, without checking their contents" },
    { flags: "--dry-run", description: "with --migrate: list what would be rewritten" },
    REASON_OPTION,
    JSON_OPTION,
  ],
  examples: [
    "veritest check               # before a commit, or in CI",
    "veritest check --with-state --json   # also checks pending changes, and prints JSON",
    "veritest check --migrate      # after an update of veritest",
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const paths = cliPaths(io);
  const config = input.flag("untrusted") ? ok(undefined) : await loadConfig(paths.root);
  if (!config.ok) return printRefusal(io, config.error);
  const { redact, maxBytes } = config.value?.policy ?? DEFAULT_POLICY;
  const chosen = chooser(input.operands, { root: paths.root, cwd: io.cwd });
  if (!chosen.ok) return printRefusal(io, chosen.error);
  if (input.flag("migrate")) return migrateBaselines(chosenBaselines(paths.root, chosen.value), input, io);
  const rules = secretRules(redact, io.environment);
  const checked = checkFiles({ paths, rules, chosen: chosen.value, maxBytes });
  const whole = input.operands.length === 0;
  const state = input.flag("withState") ? checkState(paths, rules) : { findings: [], files: 0 };
  const findings = [
    ...checked.findings,
    ...(whole
      ? [
          ...foreignFiles(paths.root),
          ...(config.value === undefined ? [] : await obsoleteFindings(paths, config.value)),
        ]
      : []),
    ...state.findings,
  ];
  if (input.flag("json")) printJson(io, { baselines: checked.count, otherFiles: state.files, findings });
  else printLines(io, [...findings.map(lineOf), summary(checked.count, state.files, findings)]);
  if (findings.some(isDamage)) return EXIT.usage;
  return findings.length === 0 ? EXIT.clean : EXIT.regressions;
}

function* chosenBaselines(root: string, chosen: FileCheck["chosen"]): Generator<StoredBaseline, void, undefined> {
  for (const stored of storedBaselines(root)) if (chosen(stored)) yield stored;
}

interface FileCheck {
  readonly paths: ProjectPaths;
  readonly rules: SecretRules;
  readonly chosen: (file: BaselineFile) => boolean;
  readonly maxBytes: number;
}

function checkFiles({ paths: { root }, rules, chosen, maxBytes }: FileCheck): {
  readonly findings: readonly Finding[];
  readonly count: number;
} {
  const check = baselineCheck(rules, { maxBytes });
  const findings: Finding[] = [];
  let count = 0;
  for (const file of baselineFiles(root)) {
    if (!chosen(file)) continue;
    count += 1;
    try {
      const stored = readStored(root, file);
      if (stored !== undefined) findings.push(...check(stored));
    } catch (thrown) {
      findings.push({ kind: "unreadable", file: targetName(root, file.path), message: messageOf(thrown) });
    }
  }
  return { findings, count };
}

/** Yields files in baseline directories that aren't baselines. Ignores names that begin with a dot. */
function* foreignFiles(root: string): Generator<Finding, void, undefined> {
  for (const baselines of baselineRoots(root)) {
    for (const entry of entriesOf(baselines)) {
      const path = join(baselines, entry.name);
      if (!entry.isDirectory()) yield misplaced(root, path, unreadProblem(entry) ?? "it isn't in a step's directory");
      else yield* foreignInGroup(root, path);
    }
  }
}

function* foreignInGroup(root: string, directory: string): Generator<Finding, void, undefined> {
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name);
    const unread = entry.isDirectory() ? "veritest doesn't read directories at this depth" : unreadProblem(entry);
    if (unread !== undefined) yield misplaced(root, path, unread);
    else if (!entry.name.endsWith(".json")) yield misplaced(root, path, "its name doesn't end in .json");
  }
}

/** Says why an entry that isn't a directory is never read; undefined for a file. */
function unreadProblem(entry: Dirent): string | undefined {
  if (entry.isSymbolicLink()) return "it is a link, and veritest doesn't follow links";
  return entry.isFile() ? undefined : "it is a pipe or a device";
}

function entriesOf(directory: string): Dirent[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith("."))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function misplaced(root: string, path: string, because: string): Finding {
  return {
    kind: "misplaced",
    file: targetName(root, path),
    message: `not a baseline: ${because}. Move the file, or delete it`,
  };
}

async function obsoleteFindings(paths: ProjectPaths, config: LoadedConfig): Promise<Finding[]> {
  const groups = await findObsoleteGroups(paths, config);
  if (!groups.ok)
    return [
      {
        kind: "unreadable",
        file: targetName(paths.root, config.file ?? paths.root),
        message: groups.error.replace(/\.$/, ""),
      },
    ];
  return groups.value.map((group) => {
    const count = plainCount(group.baselines.length, "baseline");
    const alternative =
      group.kind === "step" && group.movedTo === undefined ? "; or add it to steps in the configuration" : "";
    return {
      kind: "obsolete",
      file: group.directory,
      message:
        `${obsoleteReason(group)} (${count}). To remove obsolete baselines, ` +
        `run: npx veritest prune --yes${alternative}`,
    };
  });
}

/** Matches a file, everything below a directory, or a pattern with stars. */
function chooser(
  names: readonly string[],
  { root, cwd }: { readonly root: string; readonly cwd: string },
): Result<(file: BaselineFile) => boolean, string> {
  const unknown = names.find(
    (name) => !name.includes("*") && !existsSync(resolve(cwd, name)) && !existsSync(resolve(root, name)),
  );
  if (unknown !== undefined) return err(`There is no file or directory ${quote(unknown)}.`);
  const fits = (name: string, { path }: BaselineFile): boolean => {
    if (name.includes("*")) return matchesName(name, targetName(root, path));
    return isWithin(resolve(cwd, name), path) || isWithin(resolve(root, name), path);
  };
  return ok((file) => names.length === 0 || names.some((name) => fits(name, file)));
}

function lineOf({ kind, file, path, message }: Finding): string {
  return oneLine(
    `${kind.padEnd(10)}  ${file}  ${path === undefined ? "" : `${path}: `}${message.replace(/\.?$/, ".")}`,
  );
}

function summary(baselines: number, otherFiles: number, findings: readonly Finding[]): string {
  const rest = otherFiles === 0 ? "" : ` and ${plainCount(otherFiles, "other file")}`;
  const what = `${plainCount(baselines, "baseline")}${rest} checked`;
  if (findings.length === 0) return `${what}, no problems.`;
  const kinds = Map.groupBy(findings, ({ kind }) => kind);
  const shares = [...kinds].map(([kind, some]) => `${some.length} ${kind}`);
  return `${what}, ${plainCount(findings.length, "finding")}: ${shares.join(", ")}.`;
}
