import { join } from "node:path";
import { type Places, targetName } from "../../kernel/files/places.ts";
import { listNames, readText } from "../../kernel/files/read.ts";
import { readNotes } from "../../updates/receipts/read-notes.ts";
import { parsePendingChange } from "../../updates/pending/pending-change.ts";
import { pendingDirectory } from "../../updates/pending/pending.ts";
import { type Finding, type SecretRules, findFileSecrets } from "./check-baseline.ts";

/** What a state directory and the notes beside it hold. */
interface StateCheck {
  readonly findings: readonly Finding[];
  /** How many files were looked at. */
  readonly files: number;
}

/** Checks what is kept outside of the baselines: pending changes and notes. */
export async function checkState(places: Places, rules: SecretRules): Promise<StateCheck> {
  const pending = checkPending(places, rules);
  const notes = await checkNotes(places, rules);
  return { findings: [...pending.findings, ...notes.findings], files: pending.files + notes.files };
}

function checkPending({ root, state }: Places, rules: SecretRules): StateCheck {
  const directory = pendingDirectory(state);
  const names = listNames(directory).filter((name) => name.endsWith(".json"));
  const findings = names.flatMap((name): Finding[] => {
    const file = nameOf(root, join(directory, name));
    const text = readText(join(directory, name)) ?? "";
    const change = parsePendingChange(text);
    const damage: Finding[] = change.ok
      ? []
      : [{ kind: "damaged", file, message: `${change.error}. Delete it, and run its test again` }];
    return [...damage, ...findFileSecrets(text, file, rules)];
  });
  return { findings, files: names.length };
}

async function checkNotes({ root, notes }: Places, rules: SecretRules): Promise<StateCheck> {
  const names = listNames(notes).filter((name) => name.endsWith(".ndjson"));
  const secrets = names.flatMap((name) =>
    (readText(join(notes, name)) ?? "").split("\n").flatMap((line, index) =>
      findFileSecrets(line, nameOf(root, join(notes, name)), rules).map((found) => ({
        ...found,
        path: `line ${index + 1}, ${found.path}`,
      })),
    ),
  );
  const damage: Finding[] = [];
  for await (const entry of readNotes(notes)) {
    if (entry.kind === "note" || entry.kind === "torn") continue;
    damage.push({
      kind: "damaged",
      file: nameOf(root, join(notes, entry.file)),
      path: `line ${entry.line}`,
      message: `${entry.problem}. Notes decide nothing: delete the file, or keep it as evidence`,
    });
  }
  return { findings: [...damage, ...secrets, ...checkBlobs(root, join(notes, "blobs"), rules)], files: names.length };
}

/** The long bodies of notes. */
function checkBlobs(root: string, directory: string, rules: SecretRules): Finding[] {
  return listNames(directory)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) =>
      findFileSecrets(readText(join(directory, name)) ?? "", nameOf(root, join(directory, name)), rules),
    );
}

/** What is not below the project keeps its whole path. */
function nameOf(root: string, path: string): string {
  const name = targetName(root, path);
  return name.startsWith("..") ? path : name;
}
