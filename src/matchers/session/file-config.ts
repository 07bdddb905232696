import { dirname } from "node:path";
import { readVariable, setVariable } from "../../kernel/environment.ts";
import { nearestConfig } from "../../kernel/files/nearest-config.ts";
import { importSequentially } from "../../kernel/import-sequentially.ts";
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { redactionState } from "../../redact/redaction-state.ts";

/** True if the configuration of a test file is applied, or one sentence on why its checks must not run. */
export type FileConfig = Result<true, string>;

/** Applies the configuration of a test file to this process. */
export type UseFileConfig = (testPath: string) => FileConfig | Promise<FileConfig>;

/**
 * Follows which configuration applies: the nearest one above the running test file. Its settings come from the main
 * process if its reporter announced them. Otherwise this process loads the file itself, so redaction doesn't depend on
 * which reporters are on.
 */
export function followFileConfig(environment: NodeJS.ProcessEnv): UseFileConfig {
  let last: { readonly testPath: string; readonly config: FileConfig | Promise<FileConfig> } | undefined;
  return (testPath) => {
    if (last?.testPath === testPath) return last.config;
    const config = useConfigAbove(testPath, environment);
    last = { testPath, config };
    if (config instanceof Promise)
      return config.then((loaded) => {
        if (last?.testPath === testPath) last = { testPath, config: loaded };
        return loaded;
      });
    return config;
  };
}

function useConfigAbove(testPath: string, environment: NodeJS.ProcessEnv): FileConfig | Promise<FileConfig> {
  const file = nearestConfig(dirname(testPath));
  if (file === undefined) {
    // The file before it in this worker may have had one.
    if (readVariable(environment, NAME)?.startsWith('{"file":') === true) apply(undefined, environment);
    return ok(true);
  }
  const announced = announcedSettings(environment)[file];
  return announced === undefined
    ? loadSettings(file).then((loaded) => useSettings(loaded, environment))
    : useSettings(announced, environment);
}

const NAME = "VERITEST_REDACTION";

function useSettings(settings: Result<string, string>, environment: NodeJS.ProcessEnv): FileConfig {
  if (!settings.ok)
    return err(`${settings.error} veritest doesn't check or write baselines until the configuration loads.`);
  if (readVariable(environment, NAME) !== settings.value) apply(settings.value, environment);
  return ok(true);
}

function apply(text: string | undefined, environment: NodeJS.ProcessEnv): void {
  const settings: unknown = text === undefined ? undefined : JSON.parse(text);
  const mode = isPlainObject(settings) ? settings["mode"] : undefined;
  setVariable(environment, NAME, text);
  setVariable(environment, "VERITEST_PROJECT_MODE", typeof mode === "string" ? mode : undefined);
  redactionState().redactor = undefined;
}

async function loadSettings(file: string): Promise<Result<string, string>> {
  const { loadWorkerSettings } = await importSequentially(async () => import("../../config/worker-settings.ts"));
  return loadWorkerSettings(file);
}

/** Settings that the main process announced, by configuration. */
function announcedSettings(environment: NodeJS.ProcessEnv): Readonly<Record<string, Result<string, string>>> {
  const text = readVariable(environment, "VERITEST_CONFIGS");
  const table: unknown = text === undefined ? {} : JSON.parse(text);
  const entries = isPlainObject(table) ? Object.entries(table) : [];
  return Object.fromEntries(entries.flatMap(([file, value]) => (isSettings(value) ? [[file, value]] : [])));
}

function isSettings(value: unknown): value is Result<string, string> {
  if (!isPlainObject(value)) return false;
  return value["ok"] === true ? typeof value["value"] === "string" : typeof value["error"] === "string";
}
