import { mergeFile } from "./cli/commands/merge-file.ts";

const { argv, env: environment, stderr, stdin, stdout } = process;
process.exitCode = mergeFile(argv.slice(2), { stdout, stderr, stdin, environment, cwd: process.cwd() });
