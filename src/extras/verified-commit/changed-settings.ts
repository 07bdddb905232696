import { posix } from "node:path";
import { isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { isConfiguration, isManifest, isTestSide } from "./base-tests.ts";
import { type ChangedFile, isNoContent, blobText } from "./changes.ts";
import { type GateFinding, linesOf } from "./check-diff.ts";
import { filesWith, isScript } from "./files-with.ts";
import type { GitCall } from "./git.ts";

/** Files whose names begin with a dot, or that other tools read, which don't change how tests or checks run. */
const HARMLESS = [
  /(?:^|\/)\.(?:gitignore|editorconfig|dockerignore|npmignore|mailmap|gitkeep|keep)$/,
  /(?:^|\/)(?:\.prettierignore|\.prettierrc[^/]*|prettier\.config\.\w+|\.(?:vscode|idea|changeset)\/.*)$/,
  /\.(?:mdx?|txt|png|jpe?g|gif|svg|ico|webp)$/,
];
/** Formats of settings, which tools read from the top folder under many names. */
const FORMAT = /\.(?:jsonc?|json5|ya?ml|toml|ini|cfg|conf|lock|lockb|xml|cjs|mjs)$|rc$|(?:^|\/)[a-z]+file$/i;
/** Fields of a manifest that neither a runner, a resolver nor an installation reads. */
const DESCRIBES = new Set(
  (
    "version description keywords license author contributors maintainers funding repository homepage bugs files " +
    "publishConfig sideEffects types typings"
  ).split(" "),
);

/**
 * Finds changes of what decides how checks run: configuration, and the modules that only it uses (`kept`). The base's
 * tests ran without them, but the next run's won't, so a person approves each, unless it's known to be harmless.
 */
export async function changedSettings(
  changes: readonly ChangedFile[],
  { kept, tree, project, call }: SettingsContext,
): Promise<readonly GateFinding[]> {
  const findings: GateFinding[] = [];
  for (const change of changes) {
    const { path, oldPath } = change;
    const isSetting = [path, oldPath].some((each) => isConfiguration(each) || isManifest(each)) || kept.has(oldPath);
    if (!isSetting && !(await isTopSetting(path, { tree, project, call }))) continue;
    const detail = await settingsProblem(change, call);
    if (detail !== undefined) findings.push({ rule: "test-changed", path, line: undefined, detail });
  }
  return findings;
}

/** Base and tree that changed settings are judged by. */
export interface SettingsContext {
  /** Changed files of the base that judged the new code. */
  readonly kept: ReadonlySet<string>;
  /** Tree of git that would be committed. */
  readonly tree: string;
  /** Folder of the project, from the top. */
  readonly project: string;
  readonly call: GitCall;
}

async function isTopSetting(path: string, { tree, project, call }: Omit<SettingsContext, "kept">): Promise<boolean> {
  // Jest takes these in place of packages, in all tests.
  if (path.startsWith(posix.join(project, "__mocks__/"))) return true;
  if (![".", project === "" ? "." : project].includes(posix.dirname(path))) return false;
  if (!FORMAT.test(path) || isTestSide(path)) return false;
  return !(await filesWith([posix.basename(path)], tree, call)).some(
    (each) => isScript(each) && !isConfiguration(each),
  );
}

async function settingsProblem(change: ChangedFile, call: GitCall): Promise<string | undefined> {
  const { path, oldPath, oldId, newId } = change;
  const what = path.endsWith(".gitattributes")
    ? "it decides what git shows, merges and exports"
    : "it decides how checks run";
  if (isManifest(path) && isManifest(oldPath)) {
    const [before, after] = [await jsonOf(oldId, call), await jsonOf(newId, call)];
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
      (key) => !DESCRIBES.has(key) && JSON.stringify(before[key]) !== JSON.stringify(after[key]),
    );
    return keys.length === 0 ? undefined : `${what}, by a new value of ${keys.join(", ")}`;
  }
  if ([path, oldPath].every((each) => HARMLESS.some((kind) => kind.test(each)))) return undefined;
  const [before, after] = [await blobText(oldId, call), await blobText(newId, call)];
  const lines = (text: string): string =>
    linesOf(text)
      .filter((line) => line !== "")
      .join("\n");
  if (path === oldPath && lines(before) === lines(after) && !isNoContent(oldId)) return undefined;
  return isNoContent(newId) ? `${what}, and the run removed it` : `${what}, and the run changed it`;
}

async function jsonOf(id: string, call: GitCall): Promise<Readonly<Record<string, unknown>>> {
  const value = parsedJson(await blobText(id, call));
  // Text that isn't an object has another value than any.
  return isPlainObject(value) ? value : { format: id };
}
