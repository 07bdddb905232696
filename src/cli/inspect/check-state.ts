import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Places, targetName } from "../../files/places.ts";
import { listNames, readText } from "../../files/read.ts";
import { readNotes } from "../../notes/read-notes.ts";
import { parsePendingChange } from "../../settle/pending/pending-change.ts";
import { pendingDirectory } from "../../settle/pending/pending.ts";
import { baselineRoots } from "../../baseline/baseline-files.ts";
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

const ADVICE = "Move it out, or delete it";

/** What lies among the baselines where no baseline is looked for. Names that begin with a dot are left alone. */
export function* strayFiles(root: string): Generator<Finding, void, undefined> {
  for (const baselines of baselineRoots(root)) {
    for (const entry of entriesOf(baselines)) {
      const path = join(baselines, entry.name);
      if (!entry.isDirectory())
        yield stray(
          root,
          path,
          entry.isSymbolicLink() ? "it is a link, which no run follows" : "it lies beside the directories of steps",
        );
      else yield* strayInGroup(root, path);
    }
  }
}

function* strayInGroup(root: string, directory: string): Generator<Finding, void, undefined> {
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield stray(root, path, "no run looks so deep");
    else if (!entry.isFile()) yield stray(root, path, "it is a link, which no run follows");
    else if (!entry.name.endsWith(".json")) yield stray(root, path, "its name does not end in .json");
  }
}

function entriesOf(directory: string): Entry[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith("."))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** What a directory's listing says of one name. */
interface Entry {
  readonly name: string;
  isDirectory(): boolean;
  isFile(): boolean;
  isSymbolicLink(): boolean;
}

function stray(root: string, path: string, because: string): Finding {
  return { kind: "stray", file: targetName(root, path), message: `no baseline: ${because}. ${ADVICE}` };
}
