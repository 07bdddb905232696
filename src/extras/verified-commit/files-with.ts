import { type GitCall, git } from "./git.ts";

const CODE = /\.(?:[cm]?[jt]sx?|vue|svelte)$/;

/** Returns true for a file of JavaScript or TypeScript, by its path. */
export function isScript(path: string): boolean {
  return CODE.test(path);
}

/** Lists the files of a tree of git that contain one of some texts. Throws if git can't read the tree. */
export async function filesWith(texts: readonly string[], tree: string, call: GitCall): Promise<readonly string[]> {
  const listed = await grepTree("-l", texts, { ...call, tree });
  return listed.split("\0").flatMap((line) => (line === "" ? [] : [line.slice(line.indexOf(":") + 1)]));
}

/**
 * Searches the files of a tree of git for one of some texts, and returns git's output: the files with `-l`, the matches
 * with `-o`. Throws if git can't read the tree, because without an answer a file would count as unused.
 */
export async function grepTree(
  show: "-l" | "-o",
  texts: readonly string[],
  { tree, ...call }: GitCall & { readonly tree: string },
): Promise<string> {
  // Attributes may call a file binary, of which git doesn't show the matches.
  const args = ["grep", "--text", show, "-z", "-F", "-f", "-", tree, "--"];
  const listed = await git(args, { ...call, input: texts.join("\n") });
  // 1 means that no file contains a text.
  if (!listed.ok && listed.error.code !== 1) throw new Error(listed.error.message);
  return listed.ok ? listed.value : "";
}
