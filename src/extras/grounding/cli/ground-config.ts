import { groundingConfig } from "../grounding-config.ts";
import { type GroundSettings, SETTING_NAMES, setSetting } from "../state/ground-settings.ts";
import { cliPaths } from "../../../cli/terminal/cli-paths.ts";
import type { CommandInput } from "../../../cli/terminal/command-input.ts";
import { EXIT, type ExitCode } from "../../../cli/terminal/exit-code.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import { printRefusal, oneLine, printLines, printJson } from "../../../cli/terminal/print.ts";
import { storeSettings, readSettings } from "./ground-library.ts";

/** Implements `veritest ground config show` and `… config set <name> <value>`. The value `default` resets a setting. */
export function groundConfig(input: CommandInput, io: CliIo): ExitCode {
  const [verb, name, value, ...rest] = input.operands;
  const paths = cliPaths(io);
  const settings = readSettings(paths);
  if (!settings.ok) return printRefusal(io, settings.error);
  if (verb === "show" && name === undefined) return show(settings.value, input, io);
  if (verb !== "set" || name === undefined || value === undefined || rest.length > 0) {
    return printRefusal(
      io,
      `Use "ground config show" or "ground config set <name> <value>". Names: ${SETTING_NAMES.join(", ")}.`,
    );
  }
  const next = setSetting(settings.value, name, value);
  if (!next.ok) return printRefusal(io, next.error);
  storeSettings(paths, next.value);
  return show(next.value, input, io);
}

function show({ config, llm }: GroundSettings, input: CommandInput, io: CliIo): ExitCode {
  const complete = groundingConfig(config);
  if (!complete.ok) return printRefusal(io, complete.error.message);
  const effective: ReadonlyMap<string, string | number> = new Map<string, string | number>([
    ...Object.entries(complete.value),
    ...Object.entries(llm),
  ]);
  if (input.flag("json")) {
    printJson(io, Object.fromEntries(effective));
    return EXIT.clean;
  }
  const set: ReadonlySet<string> = new Set([...Object.keys(config), ...Object.keys(llm)]);
  printLines(
    io,
    SETTING_NAMES.map((name) =>
      oneLine(`${name.padEnd(20)} ${effective.get(name) ?? "–"}${set.has(name) ? "  (set)" : ""}`),
    ),
  );
  return EXIT.clean;
}
