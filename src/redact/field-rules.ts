import { type SecretField, secretField, wordsOf } from "./field-names.ts";

const CUSTOM: SecretField = { secrecy: "always", kind: "field" };

// A run meets few names; a step over data that is keyed by ids must not keep them all.
const MAX_KNOWN = 2000;

/** Makes the lookup of field names: names added, names kept, and else what every name says by itself. */
export function fieldRules(
  added: readonly string[],
  kept: readonly string[],
): (name: string) => SecretField | undefined {
  const isAdded = nameSet(added);
  const isKept = nameSet(kept);
  const known = new Map<string, SecretField | false>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found === false ? undefined : found;
    const joined = wordsOf(name).join("");
    const own = isAdded.has(joined) ? CUSTOM : secretField(name);
    const field = isKept.has(joined) ? undefined : own;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(name, field ?? false);
    return field;
  };
}

function nameSet(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => wordsOf(name).join("")));
}
