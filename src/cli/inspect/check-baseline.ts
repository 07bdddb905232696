import { dirname } from "node:path";
import { identityOf } from "../../baseline/baseline.ts";
import { caseHash } from "../../baseline/names.ts";
import type { Policy } from "../../settle/policy.ts";
import { damageOf } from "../review/damage-of.ts";
import { type SecretRules, findFileSecrets, findHiddenPaths } from "./find-file-secrets.ts";
import type { Finding } from "./finding.ts";
import { sizeWords } from "./size-words.ts";
import type { StoredBaseline } from "./stored-baseline.ts";

/** Checks the baselines of a project one after the other; two of one case must come one after the other's directory. */
export type BaselineCheck = (stored: StoredBaseline) => Finding[];

/** Makes a check by a project's rules. It remembers the cases of the directory it is in, and no more. */
export function baselineCheck(rules: SecretRules, { maxBytes }: Pick<Policy, "maxBytes">): BaselineCheck {
  let directory = "";
  let cases = new Map<string, string>();
  return (stored) => {
    const { target, text, path } = stored;
    if (dirname(path) !== directory) cases = new Map<string, string>();
    directory = dirname(path);
    const bytes = Buffer.byteLength(text);
    return [
      ...damage(stored),
      ...duplicate(stored, cases),
      ...findFileSecrets(text, target, rules),
      ...(stored.baseline.ok ? findHiddenPaths(stored.baseline.value, target, rules) : []),
      ...(bytes > maxBytes
        ? [
            {
              kind: "size",
              file: target,
              message: `${sizeWords(bytes)}, and policy.maxBytes is ${sizeWords(maxBytes)}. Make its input or its output smaller`,
            } as const,
          ]
        : []),
    ];
  };
}

function damage({ text, path, target }: StoredBaseline): Finding[] {
  const problem = damageOf(text, path, target);
  if (problem === undefined) return [];
  // The file is named by the finding already.
  const message = problem
    .replace(/^Cannot (?:read|use) /, "")
    .replace(`${target}: `, "")
    .replace(/\.$/, "");
  const todo = /\. (?:Restore|Resolve|Update) /.test(message) ? "" : ". Restore it: npx veritest repair --restore";
  return [{ kind: "damaged", file: target, message: `${message}${todo}` }];
}

/** A run reads only one of two files of a case. */
function duplicate({ baseline, target }: StoredBaseline, cases: Map<string, string>): Finding[] {
  if (!baseline.ok) return [];
  const key = caseHash(identityOf(baseline.value), 64);
  const first = cases.get(key);
  if (first === undefined) cases.set(key, target);
  return first === undefined
    ? []
    : [{ kind: "duplicate", file: target, message: `the same case as ${first}. Keep one, delete the other` }];
}
