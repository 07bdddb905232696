import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Result, err, ok } from "../kernel/result.ts";
import { escapeText, formatPath } from "../kernel/text.ts";
import { messageOf } from "../kernel/error-message.ts";
import { CONFIG_FILES } from "../kernel/files/project-paths.ts";
import { DEFAULT_POLICY } from "../updates/policy.ts";
import type { ConfigIssue, ParsedConfig } from "./config-schema.ts";
import { defaultOf, loadModule } from "./load-module.ts";

/** Settings of a project, with defaults. */
export interface LoadedConfig extends ParsedConfig {
  /** Absolute path of the file; undefined if there isn't one. */
  readonly file: string | undefined;
}

/**
 * Loads `veritest.config.*` of a project. The error is one sentence naming the file and the invalid key, because
 * without a readable policy a run must not write.
 */
export async function loadConfig(root: string): Promise<Result<LoadedConfig, string>> {
  const file = CONFIG_FILES.map((name) => join(root, name)).find((path) => existsSync(path));
  if (file === undefined) return ok({ file, mode: undefined, policy: DEFAULT_POLICY, report: { formats: [] } });
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

function issueText({ path, message }: ConfigIssue): string {
  const where =
    path.length === 0
      ? "the default export"
      : formatPath(path.map((part) => (typeof part === "symbol" ? String(part) : part)));
  return `${where}: ${escapeText(message)}`;
}
