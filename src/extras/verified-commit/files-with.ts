import { type GitCall, git } from "./git.ts";

const CODE = /\.(?:[cm]?[jt]sx?|vue|svelte)$/;

/** Returns true for a file of JavaScript or TypeScript, by its path. */
export function isScript(path: string): boolean {
  return CODE.test(path);
}

/** Lists the files of a tree of git that contain one of some texts. Throws if git can't read the tree. */
export async function filesWith(texts: readonly string[], tree: string, call: GitCall): Promise<readonly string[]> {
  const args = ["grep", "--text", "-l", "-z", "-F", "-f", "-", tree, "--"];
  const listed = await git(args, { ...call, input: texts.join("\n") });
  // 1 means that no file contains a text.
  if (!listed.ok && listed.error.code !== 1) throw new Error(listed.error.message);
  return listed.ok ? listed.value.split("\0").map((line) => line.slice(line.indexOf(":") + 1)) : [];
}
