import { existsSync } from "node:fs";
import { join } from "node:path";
import { stableStringify } from "../base/canonical-json.ts";
import { hashText } from "../base/hash.ts";
import { readText } from "../files/read.ts";
import { CONFIG_FILES } from "../files/places.ts";
import type { Policy } from "./policy.ts";

/** A hash of what a project's configuration says: equal on machines whose runs may be settled together. */
export function configHash(root: string, policy: Policy): string {
  const file = CONFIG_FILES.map((name) => join(root, name)).find((path) => existsSync(path));
  // A checkout may have other line ends than another machine's.
  const text = file === undefined ? null : (readText(file)?.replaceAll("\r\n", "\n") ?? null);
  // A limit may be infinite and `approve` is a function: JSON holds neither.
  const settings = Object.entries(policy).map(([key, value]) => [
    key,
    typeof value === "object" ? stableStringify(value) : String(value),
  ]);
  return hashText(stableStringify([text, settings]));
}
