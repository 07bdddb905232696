import { type Result, ok } from "../kernel/result.ts";
import { type LoadedConfig, loadConfigFile } from "./load-config.ts";

/** Returns the settings of a configuration that workers need, as JSON. It begins with the file that they are from. */
export function workerSettings({ file, mode, policy, worker }: LoadedConfig): string {
  return JSON.stringify({ file, ...worker, maxBytes: policy.maxBytes, mode });
}

/** Loads the settings of a configuration that workers need. */
export async function loadWorkerSettings(file: string): Promise<Result<string, string>> {
  const config = await loadConfigFile(file);
  return config.ok ? ok(workerSettings(config.value)) : config;
}
