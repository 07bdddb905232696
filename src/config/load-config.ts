import { dirname } from "node:path";
import { type Result, err, ok } from "../kernel/result.ts";
import { escapeText, formatPath } from "../kernel/text.ts";
import { lineOfError } from "../kernel/stack-locations.ts";
import { nearestConfig } from "../kernel/files/nearest-config.ts";
import { DEFAULT_POLICY, type LookUpPolicy } from "../updates/policy.ts";
import type { ConfigIssue, ParsedConfig } from "./config-schema.ts";
import { defaultOf, loadModule, loadProblem } from "./load-module.ts";

/** Settings of a project, with defaults. */
export interface LoadedConfig extends ParsedConfig {
  /** Absolute path of the file; undefined if there isn't one. */
  readonly file: string | undefined;
}

/**
 * Loads the `veritest.config.*` that applies in a directory: the nearest one there or above. The error is one sentence
 * naming the file and the invalid key, because without a readable policy a run must not write.
 */
export async function loadConfig(directory: string): Promise<Result<LoadedConfig, string>> {
  return loadConfigFile(nearestConfig(directory));
}

/** Returns the policies of directories. Each configuration is looked up and loaded once. */
export function createPolicyLookup(): LookUpPolicy {
  const nearest = new Map<string, string | undefined>();
  const loaded = new Map<string | undefined, Promise<Result<LoadedConfig, string>>>();
  return async (directory) => {
    if (!nearest.has(directory)) nearest.set(directory, nearestConfig(directory));
    const file = nearest.get(directory);
    const known = loaded.get(file) ?? loadConfigFile(file);
    loaded.set(file, known);
    const config = await known;
    return config.ok
      ? ok({ policy: config.value.policy, root: file === undefined ? undefined : dirname(file) })
      : config;
  };
}

/** Loads a configuration by its path; the defaults if there is none. */
export async function loadConfigFile(file: string | undefined): Promise<Result<LoadedConfig, string>> {
  if (file === undefined)
    return ok({
      file,
      mode: undefined,
      policy: DEFAULT_POLICY,
      worker: DEFAULT_POLICY.redact,
      report: { formats: [] },
    });
  try {
    const exported = defaultOf(loadModule(file));
    // zod is the user's own and costs 50 ms: only projects with a configuration pay for it.
    const { parseConfig } = await import("./config-schema.ts");
    const parsed = parseConfig(exported);
    return "issues" in parsed ? err(`${file}: ${parsed.issues.map(issueText).join("; ")}.`) : ok({ file, ...parsed });
  } catch (thrown) {
    const message = escapeText(loadProblem(thrown, file)).replace(/\.?$/, ".");
    const line = lineOfError(thrown, file);
    const location = line === undefined ? file : `${file}:${line}`;
    return err(`${location} can't be loaded: ${message}${NEEDS_KEY.test(message) ? STEPS_ON_DEMAND : ""}`);
  }
}

/** Messages of clients that are created without a key. */
const NEEDS_KEY = /api[_ ]?key|credentials/i;
const STEPS_ON_DEMAND = ' If its steps need a key, import them on demand: steps: () => import("./steps/index.ts").';

function issueText({ path, message }: ConfigIssue): string {
  const where =
    path.length === 0
      ? "the default export"
      : formatPath(path.map((part) => (typeof part === "symbol" ? String(part) : part)));
  return `${where}: ${escapeText(message)}`;
}
