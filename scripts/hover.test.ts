// @module-tag deep
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { beforeAll, expect, test } from "vitest";
import { EXTRA_MATCHERS } from "../src/extra-matchers.ts";
import { createMatchers } from "../src/matchers/create-matchers.ts";
import { REPOSITORY } from "./trial/repository.ts";

const NAMES = Object.keys(createMatchers(async () => Promise.reject(new Error("no session")), EXTRA_MATCHERS));
/** A file that doesn't exist on disk. */
const FILE = join(REPOSITORY, "src/hover-probe.ts");
const TEXT = `import "./vitest-types.ts";
import { expect } from "vitest";
declare const step: import("./kernel/step/define-step.ts").Step<{ a: string }, { b: string }>;
declare const result: import("./kernel/step/step-result.ts").StepResult<{ b: string }>;
${NAMES.map((name) => `expect(step).${name};\nexpect(result).${name};\n`).join("")}
expect(step).not.toMatchBaseline({ input: { a: "" } });
`;

let service: ts.LanguageService;

beforeAll(() => {
  const { config } = ts.readConfigFile(join(REPOSITORY, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, REPOSITORY);
  const read = (path: string): string | undefined => {
    if (path === FILE) return TEXT;
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  };
  service = ts.createLanguageService({
    getScriptFileNames: () => [FILE],
    getScriptVersion: () => "1",
    getScriptSnapshot: (path) => {
      const text = read(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => REPOSITORY,
    getCompilationSettings: () => options,
    getDefaultLibFileName: (of) => ts.getDefaultLibFilePath(of),
    fileExists: (path) => read(path) !== undefined,
    readFile: read,
    directoryExists: (path) => ts.sys.directoryExists(path),
    getDirectories: (path) => ts.sys.getDirectories(path),
  });
});

test("an editor shows an example of every matcher", () => {
  const hasExample = (name: string): boolean =>
    ["step", "result"].some((subject) => {
      const line = `expect(${subject}).${name};`;
      const info = service.getQuickInfoAtPosition(FILE, TEXT.indexOf(line) + line.indexOf(name));
      return info?.tags?.some((tag) => tag.name === "example") === true;
    });
  expect(NAMES.filter((name) => !hasExample(name))).toEqual([]);
  expect(NAMES.length).toBeGreaterThan(15);
});

test("the type error of a baseline matcher behind .not names the alternative", () => {
  const messages = service
    .getSemanticDiagnostics(FILE)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
  expect(messages).toContain(
    "This expression is not callable.   Type 'CannotBeNegated<\"assert the difference itself, such as " +
      "expect(result.value.output.total).not.toBe(9)\">' has no call signatures.",
  );
});
