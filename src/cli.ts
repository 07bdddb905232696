#!/usr/bin/env node
import { oldNode } from "./base/require-node.ts";
import { EXIT } from "./cli/exit-code.ts";
import { ignoreBrokenPipe } from "./cli/ignore-broken-pipe.ts";
import { main } from "./cli/main.ts";

const { argv, env: environment, stderr, stdin, stdout } = process;
ignoreBrokenPipe([stdout, stderr]);
const problem = oldNode();
if (problem !== undefined) stderr.write(`${problem}\n`);
// Not `process.exit`: what is still on its way into a pipe would be lost.
process.exitCode =
  problem === undefined
    ? await main(argv.slice(2), { stdout, stderr, stdin, environment, cwd: process.cwd() })
    : EXIT.usage;
