import ts from "typescript";
import type { SourceFile } from "./list-twins.ts";

/** A comment, a string or a document with all markup replaced by spaces, so that offsets are those of the file. */
export interface Prose {
  readonly text: string;
  /** Offset of the text in its file. */
  readonly offset: number;
}

/** A name that a source file declares. Parameters and variables within functions are local. */
export interface DeclaredName {
  readonly isLocal: boolean;
  readonly name: string;
  readonly offset: number;
}

const blank = (text: string): string => text.replace(/[^\n]/g, " ");
const word = (text: string): string => text.replace(/[^\n]/g, "_");

function parse({ path, text }: SourceFile): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/** Every node of a file, tokens too, in the order of the text. */
function nodesOf(root: ts.SourceFile): readonly ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    nodes.push(node);
    for (const child of node.getChildren(root)) visit(child);
  };
  visit(root);
  return nodes;
}

function commentsOf(root: ts.SourceFile, nodes: readonly ts.Node[]): readonly Prose[] {
  const { text } = root;
  const ranges = new Map<number, number>();
  for (const node of nodes) {
    const comments = [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const { pos, end } of comments) ranges.set(pos, end);
  }
  const joined: { pos: number; end: number }[] = [];
  for (const [pos, end] of [...ranges].sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    // Line comments below each other are one text.
    if (last !== undefined && text.startsWith("//", pos) && /^\s*$/.test(text.slice(last.end, pos))) last.end = end;
    else joined.push({ pos, end });
  }
  return joined.map(({ pos, end }) => ({ offset: pos, text: plainComment(text.slice(pos, end)) }));
}

function plainComment(comment: string): string {
  return withoutCode(comment.replace(/^\/\*+|\*+\/$|^[ \t]*\*(?!\/)|\/\//gm, blank))
    .replace(/@example[^@]*/g, blank)
    .replace(/@\w+/g, blank);
}

/** A text with code, links' targets and addresses replaced by one word of the same length. */
function withoutCode(text: string): string {
  return text
    .replace(/^```[\s\S]*?^```/gm, blank)
    .replace(/`[^`]*`/g, word)
    .replace(/\{@link [^}]*\}/g, word)
    .replace(/\]\([^)]*\)/g, word)
    .replace(/https?:\/\/\S+/g, word);
}

function isProseNode(node: ts.Node): node is ts.StringLiteralLike | ts.TemplateExpression {
  if (ts.isTemplateExpression(node)) return true;
  if (!ts.isStringLiteralLike(node)) return false;
  return !ts.isImportDeclaration(node.parent) && !ts.isLiteralTypeNode(node.parent) && / /.test(node.text);
}

function stringsOf(root: ts.SourceFile, nodes: readonly ts.Node[]): readonly Prose[] {
  return nodes.filter(isProseNode).map((node) => {
    const start = node.getStart(root) + 1;
    let text = root.text.slice(start, node.end - 1);
    if (ts.isTemplateExpression(node))
      for (const { expression } of node.templateSpans) {
        const from = expression.getFullStart() - start;
        const to = expression.end - start;
        text = text.slice(0, from) + word(text.slice(from, to)) + text.slice(to);
      }
    return { offset: start, text: withoutCode(text.replace(/\\n/g, "  ")) };
  });
}

/** The comments and strings of a source file, or the text of a document without its code. */
export function readProse(file: SourceFile): readonly Prose[] {
  if (file.path.endsWith(".md"))
    return [{ offset: 0, text: withoutCode(file.text.replace(/<!--[\s\S]*?-->/g, blank)) }];
  const root = parse(file);
  const nodes = nodesOf(root);
  return [...commentsOf(root, nodes), ...stringsOf(root, nodes)];
}

function isLocal(node: ts.Node): boolean {
  if (ts.isParameter(node) || ts.isBindingElement(node)) return true;
  return ts.isVariableDeclaration(node) && !ts.isSourceFile(node.parent.parent.parent);
}

function nameOf(node: ts.Node): ts.Node | undefined {
  // `const { name } = value` takes the name of a property, which is reported where the property is declared.
  if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent) && node.propertyName === undefined)
    return undefined;
  if (ts.isParameter(node) || ts.isBindingElement(node) || ts.isVariableDeclaration(node)) return node.name;
  if (ts.isPropertySignature(node) || ts.isPropertyDeclaration(node)) return node.name;
  if (ts.isMethodSignature(node) || ts.isMethodDeclaration(node)) return node.name;
  if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) return node.name;
  return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) ? node.name : undefined;
}

/** The names that a source file declares, with those of its types' fields. */
export function readNames(file: SourceFile): readonly DeclaredName[] {
  if (file.path.endsWith(".md")) return [];
  const root = parse(file);
  const names: DeclaredName[] = [];
  const visit = (node: ts.Node): void => {
    const name = nameOf(node);
    if (name !== undefined && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)))
      names.push({ isLocal: isLocal(node), name: name.text, offset: name.getStart(root) });
    ts.forEachChild(node, visit);
  };
  visit(root);
  return names;
}
