import { join } from "node:path";
import { projectRoot } from "../kernel/files/project-paths.ts";
import { readText } from "../kernel/files/read.ts";
import { KEY_VARIABLES } from "../kernel/missing-key.ts";

const KEYS = new RegExp(String.raw`^[ \t]*(?:export[ \t]+)?(${KEY_VARIABLES.join("|")})[ \t]*=`, "m");

/**
 * Returns a sentence if a missing key is in the `.env` file of the project or of the working directory. Code that loads
 * the file later, such as `dotenv/config`, doesn't replace the placeholder of the set-up. Empty otherwise.
 */
export function envFileHint(directory: string = process.cwd()): string {
  const texts = [...new Set([directory, projectRoot(directory)])].map((each) => textOf(join(each, ".env")));
  const name = texts.map((text) => KEYS.exec(text)?.[1]).find((known) => known !== undefined);
  return name === undefined
    ? ""
    : ` .env has ${name}, but it must be loaded before veritest's set-up. At the top of the runner's configuration, ` +
        'write: if (existsSync(".env")) process.loadEnvFile();';
}

function textOf(path: string): string {
  try {
    return readText(path) ?? "";
  } catch {
    // It may be a directory, as of a virtual environment of Python.
    return "";
  }
}
