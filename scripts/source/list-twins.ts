import ts from "typescript";

/** A file of the project, its path from the root. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

function isExported(node: ts.Statement): boolean {
  return (
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
  );
}

function declaredBy(node: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(node))
    return node.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node))
    return node.name === undefined ? [] : [node.name.text];
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node))
    return [node.name.text];
  return [];
}

/** `export { a as b }` without a module gives the file's own thing another name. */
function renamedBy(node: ts.Statement): readonly string[] {
  if (!ts.isExportDeclaration(node) || node.moduleSpecifier !== undefined || node.exportClause === undefined) return [];
  if (!ts.isNamedExports(node.exportClause)) return [];
  return node.exportClause.elements.flatMap(({ name, propertyName }) =>
    propertyName === undefined ? [] : [name.text],
  );
}

/** The names a file declares and exports, each once: overloads, and a type with its value, are one meaning. */
function exportsOf({ path, text }: SourceFile): ReadonlySet<string> {
  const { statements } = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  return new Set(statements.flatMap((node) => (isExported(node) ? declaredBy(node) : renamedBy(node))));
}

/**
 * Names that more than one file declares and exports: each is two ideas, or one that is repeated. A name of `allowed`
 * may be exported by exactly those files, in the order of `files`.
 */
export function listTwins(
  files: readonly SourceFile[],
  allowed: ReadonlyMap<string, readonly string[]> = new Map(),
): readonly string[] {
  const pathsByName = new Map<string, readonly string[]>();
  for (const file of files)
    for (const name of exportsOf(file)) pathsByName.set(name, [...(pathsByName.get(name) ?? []), file.path]);
  return [...pathsByName]
    .filter(([name, paths]) => paths.length > 1 && allowed.get(name)?.join() !== paths.join())
    .map(([name, paths]) => `${name} is exported by ${paths.join(" and ")}: give each meaning a name, or one a home.`);
}
