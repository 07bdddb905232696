import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryProject } from "../../test-support/temporary-project.ts";
import { envFileHint } from "./env-file-hint.ts";

test.each<[text: string, name: string | undefined]>([
  ["OPENAI_API_KEY=a", "OPENAI_API_KEY"],
  ["PORT=80\nexport ANTHROPIC_API_KEY = b\n", "ANTHROPIC_API_KEY"],
  ["MISTRAL_API_KEY=c", "MISTRAL_API_KEY"],
  ["# OPENAI_API_KEY=a\nMY_OPENAI_API_KEY=a\n", undefined],
])("the .env file %j has the key %s", (text, name) => {
  const directory = temporaryProject("env-file");
  mkdirSync(join(directory, "src"));
  writeFileSync(join(directory, ".env"), text);
  writeFileSync(join(directory, "package.json"), "{}");
  const expected =
    name === undefined
      ? ""
      : ` .env has ${name}, but it must be loaded before veritest's set-up. At the top of the runner's configuration, ` +
        'write: if (existsSync(".env")) process.loadEnvFile();';
  expect([envFileHint(directory), envFileHint(join(directory, "src"))]).toStrictEqual([expected, expected]);
});

test("without a .env file, or with a directory of that name, no key is there", () => {
  const directory = temporaryProject("env-file");
  expect(envFileHint(directory)).toBe("");
  mkdirSync(join(directory, ".env"));
  expect(envFileHint(directory)).toBe("");
});
