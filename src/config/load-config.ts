import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { formatPath } from "../base/format-path.ts";
import { type Result, err, ok } from "../base/result.ts";
import { escapeText } from "../base/text.ts";
import { CONFIG_FILES } from "../place/project-root.ts";
import { codeOf } from "../base/code-of.ts";
import { DEFAULT_POLICY } from "../settle/policy.ts";
import { messageOf } from "../step/step-error.ts";
import type { ConfigIssue, ParsedConfig } from "./config-schema.ts";

/** A project's settings, each with its default where the file says nothing. */
export interface LoadedConfig extends ParsedConfig {
  /** Absolute path of the file; undefined where there is none. */
  readonly file: string | undefined;
}

/** What Node answers for TypeScript that it cannot take as it is: enums, imports without an ending, versions before 22.18. */
const NEEDS_JITI: readonly (string | undefined)[] = [
  "ERR_UNKNOWN_FILE_EXTENSION",
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
  "ERR_MODULE_NOT_FOUND",
  "MODULE_NOT_FOUND",
];

/**
 * Loads `veritest.config.*` of a project. The error is one sentence naming the file and the key that is wrong: with a
 * policy that cannot be read nothing may be written.
 */
export async function loadConfig(root: string): Promise<Result<LoadedConfig, string>> {
  const file = CONFIG_FILES.map((name) => join(root, name)).find((path) => existsSync(path));
  if (file === undefined) return ok({ file, adapters: undefined, policy: DEFAULT_POLICY });
  try {
    const exported = defaultOf(loadModule(file));
    // zod is the user's own and costs 50 ms: only projects with a configuration pay for it.
    const { parseConfig } = await import("./config-schema.ts");
    const parsed = parseConfig(exported);
    return "issues" in parsed ? err(`${file}: ${parsed.issues.map(issueText).join("; ")}.`) : ok({ file, ...parsed });
  } catch (thrown) {
    return err(`${file} cannot be loaded: ${escapeText(messageOf(thrown))}`);
  }
}

/** By `require`, which takes ES modules and TypeScript too, so that the ESM and the CommonJS build load alike. */
function loadModule(file: string): unknown {
  const require = createRequire(file);
  try {
    return require(file);
  } catch (thrown) {
    if (!NEEDS_JITI.includes(codeOf(thrown))) throw thrown;
    const load = jitiFor(file, require);
    if (load !== undefined) return load();
    throw new Error(`${messageOf(thrown)}. Write it in plain TypeScript (no enums, imports with their endings), or install jiti`, { cause: thrown });
  }
}

/** The project's own jiti, ready to load the file; undefined where it is not installed. */
function jitiFor(file: string, require: NodeJS.Require): (() => unknown) | undefined {
  const create: unknown = Reflect.get(Object(optional("jiti", require)), "createJiti");
  const jiti = isFunction(create) ? create(file) : undefined;
  return isFunction(jiti) ? () => jiti(file) : undefined;
}

function isFunction(value: unknown): value is (argument: string) => unknown {
  return typeof value === "function";
}

function optional(name: string, require: NodeJS.Require): unknown {
  try {
    return require(name);
  } catch {
    // An optional helper: the caller says how to go on without it.
    return undefined;
  }
}

function defaultOf(module: unknown): unknown {
  return typeof module === "object" && module !== null && "default" in module ? module.default : module;
}

function issueText({ path, message }: ConfigIssue): string {
  const where = path.length === 0 ? "the default export" : formatPath(path.map((part) => (typeof part === "symbol" ? String(part) : part)));
  return `${where}: ${escapeText(message)}`;
}
