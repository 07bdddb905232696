#!/usr/bin/env node
import { messageOf } from "./kernel/error-message.ts";
import { requireZod } from "./kernel/files/require-package.ts";
import { unsupportedNodeMessage } from "./kernel/require-node.ts";
import { EXIT } from "./cli/terminal/exit-code.ts";
import { main } from "./command-line.ts";

const CLOSED: readonly string[] = ["EPIPE", "ERR_STREAM_DESTROYED"];

const { argv, env: environment, stderr, stdin, stdout } = process;
// A command ends as usual if its output is no longer read (`veritest log | head`). It is not stopped: it may be
// applying updates, and its exit code must stay true.
for (const stream of [stdout, stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (!CLOSED.includes(error.code ?? "")) throw error;
  });
// Steps of a CommonJS package in TypeScript are loaded as modules on purpose.
const emitWarning: unknown = Reflect.get(process, "emitWarning");
process.emitWarning = (...details: readonly unknown[]) => {
  const isIntended = JSON.stringify(details.slice(1)).includes("MODULE_TYPELESS_PACKAGE_JSON");
  if (!isIntended && typeof emitWarning === "function") Reflect.apply(emitWarning, process, details);
};
const problem = unsupportedNodeMessage() ?? zodProblem();
if (problem !== undefined) stderr.write(`${problem}\n`);
// Not `process.exit`: output that is still on its way into a pipe would be lost.
process.exitCode =
  problem === undefined
    ? await main(argv.slice(2), { stdout, stderr, stdin, environment, cwd: process.cwd() })
    : EXIT.usage;

function zodProblem(): string | undefined {
  try {
    requireZod(import.meta.dirname);
    return undefined;
  } catch (thrown) {
    return messageOf(thrown);
  }
}
