import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { main } from "../src/command-line.ts";

const ROOT = join(import.meta.dirname, "..");

/** What a command line came to. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A project in a directory of its own, and the command line in it. */
export interface CheckProject {
  readonly root: string;
  write(path: string, text: string): void;
  read(path: string): string;
  /** The files of a directory, sorted. */
  list(path: string): readonly string[];
  /** Runs a command line in this process; `piped` is what is piped into it. */
  veritest(argv: readonly string[], environment?: NodeJS.ProcessEnv, piped?: string): Promise<Ran>;
  /** Runs one in a process of its own; `heard` gets all it printed so far, and the process. */
  spawned(
    argv: readonly string[],
    options?: {
      readonly environment?: NodeJS.ProcessEnv;
      readonly heard?: (out: string, end: (signal: NodeJS.Signals) => void) => void;
    },
  ): Promise<Ran>;
}

/** The steps of the fixture: `total` asks a model, `shout` is pure, `slow` waits. What they do is set by a file. */
const STEPS = `
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { captureArtifactSync } from "${ROOT}/src/record/snapshot.ts";
import { defineStep } from "${ROOT}/src/kernel/step/define-step.ts";
const mood = () => JSON.parse(readFileSync(join(import.meta.dirname, "mood.json"), "utf8"));
const input = z.object({ text: z.string() });
export const total = defineStep({
  name: "total", input, output: z.object({ total: z.number(), words: z.array(z.string()) }),
  run: async ({ text }, ctx) => {
    const { prompt = "", reverse = false, trace } = mood();
    if (trace !== undefined) ctx.onArtifact?.(captureArtifactSync("llm-trace", trace));
    const total = await ctx.adapters.llm.total(text + prompt);
    const words = text.split(" ");
    return { output: { total, words: reverse ? words.reverse() : words }, commands: total > 99 ? [{ type: "invoke", step: "review" }] : [] };
  },
});
export const shout = defineStep({
  name: "shout", input, output: z.object({ loud: z.string() }),
  run: async ({ text }) => {
    const { mark = "", fail, hang, stray, command, ms = 0 } = mood();
    if (fail === text) throw new Error("no \\u001b[2J luck");
    if (hang === text) { setInterval(() => undefined, 1000); await new Promise(() => undefined); }
    if (stray === text) setTimeout(() => { throw new Error("in a timer"); }, 1);
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    return { output: { loud: text.toUpperCase() + mark }, commands: command === undefined ? [] : [{ type: "emit", topic: command, payload: {} }] };
  },
});
export const adapters = () => {
  const { model = 0, broken } = mood();
  if (broken !== undefined) throw new Error(broken);
  return { llm: { total: async (text) => text.length + model } };
};
`;

/** Makes a project with two steps and no baselines. */
export function checkProject(config: string = ""): CheckProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-sweep-")));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  write("package.json", '{ "type": "module" }');
  write(
    "veritest.config.ts",
    `export default { steps: async () => { const { total, shout, adapters } = await import("./steps/index.ts"); return [{ step: total, adapters }, shout]; }, ${config} };`,
  );
  write("steps/index.ts", STEPS);
  write("steps/mood.json", "{}");
  const environmentOf = (more: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
    PATH: process.env["PATH"],
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    VERITEST_ACTOR: "human",
    VERITEST_STATE_DIR: join(root, "state"),
    VERITEST_NOTES_DIR: join(root, "notes"),
    ...more,
  });
  return {
    root,
    write,
    read: (path) => readFileSync(join(root, path), "utf8"),
    list: (path) => readdirSync(join(root, path)).toSorted(),
    async veritest(argv, environment = {}, piped?) {
      const [out, err]: [string[], string[]] = [[], []];
      const stdin = new PassThrough();
      if (piped !== undefined) stdin.end(piped);
      const io = {
        stdout: { write: (text: string) => out.push(text), columns: 250 },
        stderr: { write: (text: string) => err.push(text) },
        stdin,
        environment: environmentOf(environment),
        cwd: root,
      };
      const code = await main(argv, io);
      return {
        code,
        out: withoutTimes(out.join("").replaceAll(`${root}/`, "")),
        err: err.join("").replaceAll(`${root}/`, ""),
      };
    },
    async spawned(argv, { environment = {}, heard = () => undefined } = {}) {
      const child = spawn(process.execPath, [join(ROOT, "src/cli.ts"), ...argv], {
        cwd: root,
        env: environmentOf(environment),
      });
      const [out, err]: [string[], string[]] = [[], []];
      let ended = false;
      // Once: a second signal would end it at once.
      const end = (signal: NodeJS.Signals): void => {
        if (!ended) child.kill(signal);
        ended = true;
      };
      for (const [stream, texts] of [
        [child.stdout, out],
        [child.stderr, err],
      ] as const) {
        stream.on("data", (chunk: Buffer) => {
          texts.push(String(chunk));
          heard(out.join("") + err.join(""), end);
        });
      }
      const code = await new Promise<number | null>((resolve) => void child.on("close", resolve));
      return { code, out: withoutTimes(out.join("")), err: err.join("") };
    },
  };
}

/** How long something took differs each time. */
function withoutTimes(text: string): string {
  return text.replaceAll(/ in (?:\d+ min )?[\d.]+ m?s\b/g, " in <time>");
}
