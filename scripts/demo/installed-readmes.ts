import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { findSecrets } from "../../src/redact/find-secrets.ts";
import { REPOSITORY } from "../trial/repository.ts";

/** Number of READMEs that the demo reads at most. Its five acts then take a slow machine about a minute. */
const MOST = 250;

/**
 * Reads the READMEs of the packages installed at the top of `node_modules`, at most {@link MOST}, by paths that are the
 * same on every machine.
 */
export function installedReadmes(): ReadonlyMap<string, string> {
  const modules = join(REPOSITORY, "node_modules");
  const readmes = new Map<string, string>();
  for (const name of packageNames(modules)) {
    if (readmes.size === MOST) break;
    const file = filesOf(join(modules, name)).find((candidate) => /^readme\.(?:md|markdown)$/i.test(candidate));
    const text = file === undefined ? undefined : readFileSync(join(modules, name, file), "utf8");
    // A baseline has no secrets, and texts that only look like one in a document's examples are hidden too: their length
    // differs then.
    if (text !== undefined && findSecrets(text).length === 0) readmes.set(`documents/${name}/${file}`, text);
  }
  return readmes;
}

function packageNames(modules: string): readonly string[] {
  const names = filesOf(modules).filter((name) => !name.startsWith("."));
  return names.flatMap((name) =>
    name.startsWith("@") ? filesOf(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
  );
}

function filesOf(directory: string): readonly string[] {
  return statSync(directory).isDirectory() ? readdirSync(directory).toSorted() : [];
}
