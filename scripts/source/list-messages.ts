import ts from "typescript";
import type { SourceFile } from "./list-twins.ts";

/** Texts without three words that follow each other are names, selectors or parts of a format. */
const SENTENCE = /\b[A-Za-z][\w'’]*,? [A-Za-z"{][\w'’}"]*,? [\w"{]/;
/** SQL, CSS, scripts of shells, paths and type declarations. */
const CODE =
  /^\s*(?:\.{1,2}\/|select|insert|update|delete|create|alter|drop|with|begin|pragma|set|lock|on conflict|where|and|join|from|order by|values|import|export|const|function|case|esac|complete)\b(?!.*\.$)|[;{]\s*$|=>|::|\bwidth:/i;

/** Returns the texts of a source file that a user may read, in their order; `{…}` stands for a value. */
export function listMessages({ path, text }: SourceFile): readonly string[] {
  const root = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const messages: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isLiteralTypeNode(node) || isArgumentOf(node, ["RegExp", "raw"])) return;
    const message = isText(node) && !isPart(node) && !isWordList(node) ? rendered(node) : undefined;
    if (message !== undefined && isMessage(message)) messages.push(message);
    ts.forEachChild(node, visit);
  };
  visit(root);
  return messages;
}

/** Returns all messages by file: the golden file of `npm run reference`. */
export function renderMessages(files: readonly SourceFile[]): string {
  const blocks = files
    .map(({ path, text }) => ({ path, messages: [...new Set(listMessages({ path, text }))] }))
    .filter(({ messages }) => messages.length > 0)
    .map(({ path, messages }) => `${path}\n${messages.map((message) => `  ${message}\n`).join("")}`);
  return blocks.join("\n");
}

function isMessage(text: string): boolean {
  return SENTENCE.test(text) && !CODE.test(text);
}

function isText(node: ts.Node): node is ts.Expression {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || isSum(node);
}

function isSum(node: ts.Node): node is ts.BinaryExpression {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;
}

/** True for a part of a concatenation, or of a template, which shows it. */
function isPart({ parent }: ts.Node): boolean {
  return isSum(parent);
}

/** True for words of a vocabulary: a long text without punctuation, or one that is split. */
function isWordList(node: ts.Expression): boolean {
  const { parent } = node;
  if (ts.isStringLiteralLike(node) && /^[^.,:{]{300,}/.test(node.text)) return true;
  if (ts.isPropertyAccessExpression(parent)) return ["split", "trim", "flatMap"].includes(parent.name.text);
  if (ts.isArrayLiteralExpression(parent) || ts.isParenthesizedExpression(parent)) return isWordList(parent);
  return isArgumentOf(parent, ["words", "wordSet", "wordsOf"]);
}

function isArgumentOf(node: ts.Node, names: readonly string[]): boolean {
  if (ts.isTaggedTemplateExpression(node)) return names.some((name) => node.tag.getText().endsWith(name));
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && names.includes(node.expression.getText());
}

function rendered(node: ts.Expression): string {
  if (ts.isStringLiteralLike(node)) return oneLine(node.text);
  if (ts.isParenthesizedExpression(node)) return rendered(node.expression);
  if (isSum(node)) return `${rendered(node.left)}${rendered(node.right)}`;
  if (ts.isConditionalExpression(node))
    return `{${[node.whenTrue, node.whenFalse].map((branch) => rendered(branch).replaceAll(/^\{|\}$/g, "")).join("|")}}`;
  if (!ts.isTemplateExpression(node)) return `{${nameOf(node)}}`;
  const spans = node.templateSpans.map(({ expression, literal }) => rendered(expression) + oneLine(literal.text));
  return `${oneLine(node.head.text)}${spans.join("")}`;
}

/** Returns the name of a value: that of a variable or property, or of what a function is given. */
function nameOf(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (ts.isCallExpression(node)) {
    const [first] = node.arguments;
    return first === undefined || ts.isArrowFunction(first) ? nameOf(node.expression) : nameOf(first);
  }
  return "…";
}

function oneLine(text: string): string {
  return text.replaceAll("\n", "\\n");
}
