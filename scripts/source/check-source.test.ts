import { expect, test } from "vitest";
import { listDirectWrites } from "./list-direct-writes.ts";
import { listEnvironmentReads } from "./list-environment-reads.ts";
import { listTwins } from "./list-twins.ts";
import { listWideLines } from "./list-wide-lines.ts";

test("refuses a name that two files export with different meanings", () => {
  const files = [
    {
      path: "a.ts",
      text: "export function tell(a: string): void;\nexport function tell(a: number): void;\nexport type Place = 1;\nexport const one = 1, two = 2;\nconst x = 1; export { x as y };",
    },
    {
      path: "b.ts",
      text: "export const tell = 1;\nexport interface Place {}\nexport class two {}\nexport enum y {}\nconst one = 1;",
    },
  ];
  expect(listTwins(files)).toMatchInlineSnapshot(`
    [
      "tell is exported by a.ts and b.ts: give each meaning a name, or one a home.",
      "Place is exported by a.ts and b.ts: give each meaning a name, or one a home.",
      "two is exported by a.ts and b.ts: give each meaning a name, or one a home.",
      "y is exported by a.ts and b.ts: give each meaning a name, or one a home.",
    ]
  `);
});

test("accepts re-exports of a name, and a value with its type", () => {
  const files = [
    { path: "a.ts", text: "export const Step = 1;\nexport type Step = typeof Step;\nfunction inner() {}" },
    {
      path: "b.ts",
      text: 'export { Step } from "./a.ts";\nexport * from "./a.ts";\nimport { x } from "./a.ts";\nexport { x };\nfunction inner() {}',
    },
  ];
  expect(listTwins(files)).toEqual([]);
});

test("accepts a name of two entries only from the files listed for it", () => {
  const files = ["a.ts", "b.ts"].map((path) => ({ path, text: "export type Pipeline = 1;" }));
  const allowed = new Map([["Pipeline", ["a.ts", "b.ts"]]]);
  expect(listTwins(files, allowed)).toEqual([]);
  expect(listTwins([...files, { path: "c.ts", text: "export type Pipeline = 1;" }], allowed)).toEqual([
    "Pipeline is exported by a.ts and b.ts and c.ts: give each meaning a name, or one a home.",
  ]);
});

test("refuses a line wider than the formatter's limit", () => {
  expect(listWideLines([{ path: "a.ts", text: `${"a".repeat(120)}\n${"b".repeat(121)}\n` }])).toEqual([
    "a.ts:2 has 121 columns of 120: split the text.",
  ]);
});

test("refuses reading the environment outside of its declarations", () => {
  const text = [
    "// process.env is named in a comment",
    "const a = process.env;",
    'const b = environment["CI"];',
    "const c = env[NAME];",
    'const d = readVariable(environment, "CI");',
    "const e = /env[.[]/;",
  ].join("\n");
  expect(
    listEnvironmentReads([
      { path: "src/a.ts", text },
      { path: "src/kernel/environment.ts", text },
    ]),
  ).toEqual([
    "src/a.ts:2 reads the environment: declare the variable in src/kernel/environment.ts.",
    "src/a.ts:3 reads the environment: declare the variable in src/kernel/environment.ts.",
    "src/a.ts:4 reads the environment: declare the variable in src/kernel/environment.ts.",
  ]);
});

test("refuses every form of a direct write to an output", () => {
  const texts = [
    "process.stdout.write(name);",
    "io.stderr.write(`${name}\\n`);",
    "console.error(name);",
    "vitest.logger.log(name);",
    "vitest.logger.warn(name);",
    "process.stdout.end(name);",
    "process.stdout['write'](name);",
    "const out = process.stderr;",
    "const log = console.log;",
    "writeSync(1, name);",
    "writeFileSync('/dev/stdout', name);",
    "process.emitWarning(name);",
    "stream.pipe(process.stdout);",
    "io.stderr.write(",
    "  name);",
    "io.stderr.write(",
    "  printed(lines));",
    "// stdout.write(name)",
    "vitest.logger.log(printed(lines));",
    "printLines(io, [name]);",
    "process.emitWarning(oneLine(name));",
    "const { columns } = process.stdout;",
  ];
  const lines = listDirectWrites([
    { path: "src/a.ts", text: texts.join("\n") },
    { path: "src/kernel/printed.ts", text: "process.stderr.write(printed(lines));\nprocess.stderr.write(text);" },
  ]);
  expect(lines).toEqual(
    [...Array.from({ length: 14 }, (_unused, index) => `src/a.ts:${index + 1}`), "src/kernel/printed.ts:2"].map(
      (line) => `${line} writes to an output: use src/kernel/printed.ts or src/cli/terminal/print.ts.`,
    ),
  );
});
