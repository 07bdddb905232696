import { tsPlugin } from "@sveltejs/acorn-typescript";
import { Parser } from "acorn";
import { type Result, err, ok } from "./result.ts";
import { messageOf } from "./error-message.ts";

/** One node of a syntax tree as ESTree and typescript-estree name them. Its fields are read by `child` and its like. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** A parsed source. */
export interface SyntaxTree {
  readonly text: string;
  readonly program: SyntaxNode;
}

const TypeScript = Parser.extend(tsPlugin());
const TypeScriptWithJsx = Parser.extend(tsPlugin({ jsx: true }));

/** Fields of types, which contain no code and are left out of the walk. */
const TYPE_FIELDS: ReadonlySet<string> = new Set([
  "typeAnnotation",
  "typeParameters",
  "typeArguments",
  "returnType",
  "superTypeParameters",
  "implements",
]);

/**
 * Parses JavaScript or TypeScript, with JSX if the file's name allows it; as a module, or as a script. The error is the
 * parser's, with line and column.
 */
export function parseSource(text: string, fileName: string): Result<SyntaxTree, string> {
  let problem = "";
  for (const { parser, sourceType } of waysToRead(fileName)) {
    try {
      const program: unknown = parser.parse(text, {
        ecmaVersion: "latest",
        sourceType,
        allowHashBang: true,
        allowReturnOutsideFunction: sourceType === "script",
        // The plugin of TypeScript reads positions of lines while it parses.
        locations: true,
      });
      if (isNode(program)) return ok({ text, program });
    } catch (thrown) {
      // The first parser's first complaint is about the language that the file's name tells.
      problem ||= messageOf(thrown);
    }
  }
  return err(problem);
}

interface WayToRead {
  readonly parser: typeof Parser;
  readonly sourceType: "module" | "script";
}

/** Plain JavaScript first: `a < b > (c)` compares there, and in TypeScript it calls. JSX last: `<T>x` is a cast. */
function waysToRead(fileName: string): readonly WayToRead[] {
  const isTyped = /\.(?:[cm]?ts|tsx)$/.test(fileName);
  const parsers = fileName.endsWith(".tsx") ? [TypeScriptWithJsx] : [isTyped ? TypeScript : Parser, TypeScriptWithJsx];
  return parsers.flatMap((parser) => [
    { parser, sourceType: "module" },
    { parser, sourceType: "script" },
  ]);
}

/** Returns whether a value is a node of a tree. */
function isNode(value: unknown): value is SyntaxNode {
  return (
    typeof value === "object" &&
    value !== null &&
    "type" in value &&
    typeof value.type === "string" &&
    "start" in value &&
    typeof value.start === "number"
  );
}

/** Returns the node in a field; undefined if there isn't one. */
export function child(node: SyntaxNode | undefined, field: string): SyntaxNode | undefined {
  const value = node?.[field];
  return isNode(value) ? value : undefined;
}

/** Returns the nodes in a field with a list; holes are left out. */
export function list(node: SyntaxNode | undefined, field: string): readonly SyntaxNode[] {
  const value = node?.[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** Returns the text in a field, such as an identifier's name; undefined if there isn't one. */
export function word(node: SyntaxNode | undefined, field: string): string | undefined {
  const value = node?.[field];
  return typeof value === "string" ? value : undefined;
}

/** The nodes directly below a node, in the order of the source; types are left out. */
export function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  const values: unknown[] = Object.entries(node).flatMap(([field, value]) => (TYPE_FIELDS.has(field) ? [] : value));
  return values.filter(isNode).toSorted((first, second) => first.start - second.start);
}

/** Every node of a tree from a node down, itself first. */
export function* nodesOf(node: SyntaxNode): Generator<SyntaxNode> {
  yield node;
  for (const each of childrenOf(node)) yield* nodesOf(each);
}

/** Returns a function that counts the line feeds of a text before an offset. */
export function lineFeedsOf(text: string): (offset: number) => number {
  const offsets = [...text.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => {
    let [low, high] = [0, offsets.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((offsets[middle] ?? Infinity) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

const WRAPPERS: ReadonlySet<string> = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
  "ParenthesizedExpression",
  "ChainExpression",
]);

/** Returns true for a node that TypeScript, brackets or `?.` put around an expression. */
export function isWrapper({ type }: SyntaxNode): boolean {
  return WRAPPERS.has(type);
}

/** An expression without what TypeScript, brackets, `?.` and `await` put around it. */
export function bare(node: SyntaxNode | undefined): SyntaxNode | undefined {
  if (node?.type === "AwaitExpression") return bare(child(node, "argument"));
  return node !== undefined && isWrapper(node) ? bare(child(node, "expression")) : node;
}

/** Returns whether a node is a function of any form. */
export function isFunction(node: SyntaxNode | undefined): boolean {
  return (
    node?.type === "ArrowFunctionExpression" ||
    node?.type === "FunctionExpression" ||
    node?.type === "FunctionDeclaration"
  );
}
