import { type SyntaxNode, bare, child, list, nodesOf, parseSource, word } from "../../kernel/syntax.ts";
import { isTestSide } from "./base-tests.ts";
import { type ChangedFile, blobText } from "./changes.ts";
import type { GateFinding } from "./check-diff.ts";
import { isScript } from "./files-with.ts";
import type { GitCall } from "./git.ts";
import { propertyName } from "./scopes.ts";

/** Options that decide which baseline a step is compared with, and which differences count. */
const COMPARING: ReadonlySet<string> = new Set(["name", "compare", "keyBy", "calls", "order", "roles", "values"]);

/** Properties that only the options of a step have together. */
const STEP: readonly string[] = ["run", "output"];

/** One option of a step, a spread of options, or the function that makes the step. */
interface StepOption {
  readonly text: string;
  readonly path: string;
  readonly line: number;
}

type StepOptions = readonly StepOption[];

/**
 * Finds options of an older step that decide how its baselines are compared, and are new. They are in product code, so
 * the base's tests use the new ones. A file may get further steps with any option.
 */
export async function changedSteps(changes: readonly ChangedFile[], call: GitCall): Promise<readonly GateFinding[]> {
  const before: StepOptions[] = [];
  const after: StepOptions[] = [];
  for (const { path, oldPath, oldId, newId } of changes) {
    if (!isScript(path) || isTestSide(path)) continue;
    before.push(...stepsIn(await blobText(oldId, call), oldPath));
    after.push(...stepsIn(await blobText(newId, call), path));
  }
  if (before.length === 0) return [];
  const known = new Set(before.flat().map(({ text }) => text));
  const names = new Set(after.flat().map(({ text }) => text));
  const isNameGone = [...known].some((text) => text.startsWith("name") && !names.has(text));
  const isOlder = (step: StepOptions): boolean =>
    isNameGone || after.length <= before.length || step.some(({ text }) => text.startsWith("name") && known.has(text));
  return after
    .filter(isOlder)
    .flat()
    .filter(({ text }) => !known.has(text))
    .map(({ text, path, line }) => {
      return { rule: "test-changed", path, line, detail: `it changes how baselines are compared: ${text}` };
    });
}

function stepsIn(source: string, path: string): readonly StepOptions[] {
  const parsed = /defineStep|\boutput\b/.test(source) ? parseSource(source, path) : undefined;
  if (parsed?.ok !== true) return [];
  const { program } = parsed.value;
  const optionOf = (node: SyntaxNode, suffix = ""): StepOption => ({
    text: source.slice(node.start, node.end) + suffix,
    path,
    line: source.slice(0, node.start).split("\n").length,
  });
  const valueOf = (node: SyntaxNode): string => {
    const name = word(bare(child(node, "value") ?? child(node, "argument")), "name");
    const init = name === undefined ? undefined : child(declarationOf(program, name), "init");
    return init === undefined ? "" : ` = ${source.slice(init.start, init.end)}`;
  };
  return [...nodesOf(program)].filter(isStep).map((node) => {
    const callee = child(node, "callee") ?? node;
    const [options, ...more] = list(node, "arguments");
    const properties = list(bare(options), "properties").filter(
      (each) => each.type === "SpreadElement" || each["computed"] === true || COMPARING.has(propertyName(each) ?? ""),
    );
    return [
      optionOf(callee, originOf(program, word(callee, "name") ?? "")),
      ...properties.map((each) => optionOf(each, valueOf(each))),
      ...(bare(options)?.type === "ObjectExpression" || options === undefined ? more : [options, ...more]).map((each) =>
        optionOf(each),
      ),
    ];
  });
}

/** Returns true for a call of `defineStep`, or of another function with the options of a step. */
function isStep(node: SyntaxNode): boolean {
  if (node.type !== "CallExpression") return false;
  const names = list(bare(list(node, "arguments")[0]), "properties").map(propertyName);
  return word(child(node, "callee"), "name") === "defineStep" || STEP.every((name) => names.includes(name));
}

/** Returns the module that a function is imported from, with its name there. */
function originOf(program: SyntaxNode, name: string): string {
  const [origin = ""] = list(program, "body").flatMap((statement) =>
    list(statement, "specifiers")
      .filter((each) => statement.type === "ImportDeclaration" && word(child(each, "local"), "name") === name)
      .map((each) => {
        const imported = word(child(each, "imported"), "name") ?? name;
        return `${imported === name ? "" : ` (${imported})`} from ${String(child(statement, "source")?.["value"])}`;
      }),
  );
  return origin;
}

function declarationOf(program: SyntaxNode, name: string): SyntaxNode | undefined {
  return [...nodesOf(program)].find(
    (node) => node.type === "VariableDeclarator" && word(child(node, "id"), "name") === name,
  );
}
