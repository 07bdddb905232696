/** An entry of the package with exported names, as the API reference shows it. */
export interface Entry {
  /** Import path, such as `veritest/fetch`. */
  readonly name: string;
  /** Source file, relative to the repository. */
  readonly source: string;
}

/** Ends of entries that are only loaded, by a runner's configuration. */
const WITHOUT_EXPORTS = /(?:setup|preset|serializer|package\.json|reporter\/\w+)$/;

/** Lists the entries of package.json's `exports` that have names to import. */
export function listEntries(manifest: { readonly name: string; readonly exports: object }): readonly Entry[] {
  return Object.entries(manifest.exports).flatMap(([path, target]) => {
    const file = /"types":"\.\/dist\/([\w-]+)\.d\.c?ts"/.exec(JSON.stringify(target))?.[1];
    if (file === undefined || WITHOUT_EXPORTS.test(path)) return [];
    return [{ name: path === "." ? manifest.name : `${manifest.name}/${path.slice(2)}`, source: `src/${file}.ts` }];
  });
}

/** Returns the page of an entry, relative to the directory of the API reference: `fetch.md`. */
export function entryPage({ name }: Entry): string {
  return `${name.split("/").slice(1).join("-") || "index"}.md`;
}
