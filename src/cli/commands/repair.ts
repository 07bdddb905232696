import { resolve } from "node:path";
import { type Result, err, ok } from "../../base/result.ts";
import { quote } from "../../base/text.ts";
import { shortId } from "../../notes/receipt-chain.ts";
import { fitsName } from "../../base/fits-name.ts";
import { cliPlaces } from "../cli-places.ts";
import type { CommandInput } from "../command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { type DamagedBaseline, findDamaged, restoreBaselines } from "../review/damaged.ts";
import { withSettler } from "../review/settler-here.ts";
import { refuse, oneLine, say, warn } from "../say.ts";
import { amount } from "../../explain/wording.ts";

/** `veritest repair`: lists damaged baselines; with `--restore` puts what git's last commit holds in their place. */
export const repairCommand: CliCommand = {
  arguments: [{ name: "[files...]", description: "only these; * stands for any characters; all unless given" }],
  options: [
    { flags: "--restore", description: "restore each from git's last commit, where that is sound" },
    { flags: "--reason <text>", description: "why, for the receipt (VERITEST_REASON)" },
  ],
  examples: [
    "veritest repair             # exit code 1 where a baseline is damaged",
    "veritest repair --restore   # take what git holds",
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const { root } = cliPlaces(io);
  const { damaged, count } = findDamaged(root);
  const chosen = choose(damaged, input.operands, { root, cwd: io.cwd });
  if (!chosen.ok) return refuse(io, chosen.error);
  if (chosen.value.length === 0) {
    say(io, [`${amount(count, "baseline")}, none damaged.`]);
    return EXIT.clean;
  }
  if (input.flag("restore")) return restore(chosen.value, input, io);
  say(io, [
    ...chosen.value.map(({ problem }) => oneLine(problem)),
    `${chosen.value.length} of ${count} damaged. Restore what git holds: npx veritest repair --restore`,
  ]);
  return EXIT.regressions;
}

async function restore(damaged: readonly DamagedBaseline[], input: CommandInput, io: CliIo): Promise<ExitCode> {
  return withSettler(io, input.text("reason"), (settler) => {
    const { restored, receipt, problems } = restoreBaselines(damaged, settler);
    say(
      io,
      restored.map(({ target }) => oneLine(`restored  ${target}`)),
    );
    if (receipt !== undefined) say(io, [`${restored.length} restored from git, receipt ${shortId(receipt)}`]);
    for (const problem of problems) warn(io, problem);
    return problems.length === 0 ? EXIT.clean : EXIT.regressions;
  });
}

function choose(
  damaged: readonly DamagedBaseline[],
  names: readonly string[],
  { root, cwd }: { readonly root: string; readonly cwd: string },
): Result<readonly DamagedBaseline[], string> {
  const fits =
    (name: string) =>
    ({ target, path }: DamagedBaseline): boolean =>
      name === target || fitsName(name, target) || resolve(cwd, name) === path;
  const unknown = names.find((name) => !damaged.some(fits(name)));
  if (unknown !== undefined) return err(`${quote(unknown)} is no damaged baseline below ${root}.`);
  return ok(names.length === 0 ? damaged : damaged.filter((baseline) => names.some((name) => fits(name)(baseline))));
}
