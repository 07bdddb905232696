import { type SyntaxNode, child, list, nodesOf, parseSource, word } from "../../kernel/syntax.ts";
import { isTestSide } from "./base-tests.ts";
import { type ChangedFile, isNoContent, blobText } from "./changes.ts";
import type { GateFinding } from "./check-diff.ts";
import { isScript } from "./files-with.ts";
import type { GitCall } from "./git.ts";
import { propertyName } from "./scopes.ts";

/** Options that decide which baseline a step is compared with, and which differences count. */
const COMPARING: ReadonlySet<string> = new Set(["name", "compare", "keyBy", "calls", "order", "roles", "values"]);

/** One option of a step, or a spread of options. */
interface StepOption {
  readonly text: string;
  readonly line: number;
}

/**
 * Finds options of an older step that decide how its baselines are compared, and are new. They are in product code, so
 * the base's tests use the new ones. A file may get further steps with any option.
 */
export async function changedSteps(changes: readonly ChangedFile[], call: GitCall): Promise<readonly GateFinding[]> {
  const findings: GateFinding[] = [];
  for (const { path, oldPath, oldId, newId } of changes) {
    if (!isScript(path) || isTestSide(path) || isNoContent(oldId) || isNoContent(newId)) continue;
    const before = stepsIn(await blobText(oldId, call), oldPath);
    if (before.length === 0) continue;
    const after = stepsIn(await blobText(newId, call), path);
    const known = new Set(before.flat().map(({ text }) => text));
    const isOlder = (step: readonly StepOption[]): boolean =>
      after.length <= before.length || step.some(({ text }) => text.startsWith("name") && known.has(text));
    for (const { text, line } of after.filter(isOlder).flat())
      if (!known.has(text))
        findings.push({ rule: "test-changed", path, line, detail: `it changes how baselines are compared: ${text}` });
  }
  return findings;
}

function stepsIn(text: string, path: string): readonly (readonly StepOption[])[] {
  const parsed = text.includes("defineStep") ? parseSource(text, path) : undefined;
  if (parsed?.ok !== true) return [];
  const isStep = (node: SyntaxNode): boolean =>
    node.type === "CallExpression" && word(child(node, "callee"), "name") === "defineStep";
  return [...nodesOf(parsed.value.program)].filter(isStep).map((node) =>
    list(list(node, "arguments")[0], "properties")
      .filter((each) => each.type === "SpreadElement" || COMPARING.has(propertyName(each) ?? ""))
      .map(({ start, end }) => ({ text: text.slice(start, end), line: text.slice(0, start).split("\n").length })),
  );
}
