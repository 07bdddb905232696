#!/usr/bin/env node
import { ignoreBrokenPipe } from "./cli/ignore-broken-pipe.ts";
import { main } from "./cli/main.ts";

const { argv, env: environment, stderr, stdin, stdout } = process;
ignoreBrokenPipe([stdout, stderr]);
// Not `process.exit`: what is still on its way into a pipe would be lost.
process.exitCode = await main(argv.slice(2), { stdout, stderr, stdin, environment, cwd: process.cwd() });
