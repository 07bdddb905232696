import { join } from "node:path";
import { type ProjectPaths, targetName } from "../../kernel/files/project-paths.ts";
import { listNames, readText } from "../../kernel/files/read.ts";
import { readNotes } from "../../updates/receipts/read-notes.ts";
import { parsePendingChange } from "../../updates/pending/pending-change.ts";
import { pendingDirectory } from "../../updates/pending/pending-store.ts";
import { type Finding, type SecretRules, findFileSecrets } from "./check-baseline.ts";

/** Findings in a state directory and its notes. */
interface StateCheck {
  readonly findings: readonly Finding[];
  /** Number of checked files. */
  readonly files: number;
}

/** Checks the files outside of the baselines: pending changes and notes. */
export function checkState(paths: ProjectPaths, rules: SecretRules): StateCheck {
  const pending = checkPending(paths, rules);
  const notes = checkNotes(paths, rules);
  return { findings: [...pending.findings, ...notes.findings], files: pending.files + notes.files };
}

function checkPending({ root, state }: ProjectPaths, rules: SecretRules): StateCheck {
  const directory = pendingDirectory(state);
  const names = listNames(directory).filter((name) => name.endsWith(".json"));
  const findings = names.flatMap((name): Finding[] => {
    const file = nameOf(root, join(directory, name));
    const text = readText(join(directory, name)) ?? "";
    const change = parsePendingChange(text);
    const damage: Finding[] = change.ok
      ? []
      : [{ kind: "damaged", file, message: `${change.error}. Delete the file, and run the test again` }];
    return [...damage, ...findFileSecrets(text, file, rules)];
  });
  return { findings, files: names.length };
}

/** Checks notes and receipts for secrets, and notes for damage. `veritest log verify` checks receipts for damage. */
function checkNotes({ root, notes }: ProjectPaths, rules: SecretRules): StateCheck {
  const paths = listNames(notes)
    .map((name) => join(notes, name))
    .filter((path) => path.endsWith(".ndjson"));
  const secrets = paths.flatMap((path) =>
    (readText(path) ?? "").split("\n").flatMap((line, index) =>
      findFileSecrets(line, nameOf(root, path), rules).map((secret) => ({
        ...secret,
        path: `line ${index + 1}, ${secret.path}`,
      })),
    ),
  );
  const damage = readNotes(notes).problems.map((problem) => ({
    kind: "damaged" as const,
    file: nameOf(root, notes),
    message: `${problem}. Notes don't affect results. Delete the file, or keep it as evidence`,
  }));
  return { findings: [...damage, ...secrets], files: paths.length };
}

/** Paths outside of the project stay absolute. */
function nameOf(root: string, path: string): string {
  const name = targetName(root, path);
  return name.startsWith("..") ? path : name;
}
