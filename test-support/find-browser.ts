import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/**
 * The path of a Chromium for the tests of the page: the one `CHROMIUM_PATH` names, else the first on the PATH;
 * undefined where there is none.
 */
export function findBrowser(
  { CHROMIUM_PATH: named = "", PATH = "" }: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const found = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return (named === "" ? found : [named]).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // A name that is not there is what most places on the PATH come to.
    return false;
  }
}
