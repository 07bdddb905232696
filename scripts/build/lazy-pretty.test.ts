import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BUNDLED_PACKAGES, requireBundled } from "./lazy-parts.ts";

const directory = mkdtempSync(join(tmpdir(), "veritest-pretty-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const shared = {
  bundle: true,
  platform: "node",
  metafile: true,
  outdir: directory,
  logLevel: "error",
} as const satisfies BuildOptions;
const inputs: string[] = [];

/** A check whose value is the argument: prints whether it is clean, then how the value is shown. */
const SCRIPT = `
import { formatValue } from ${JSON.stringify(join(process.cwd(), "src/kernel/diff/format-value.ts"))};
import { notStorable } from ${JSON.stringify(join(process.cwd(), "src/check/not-storable.ts"))};
import { storedForm } from ${JSON.stringify(join(process.cwd(), "src/record/encode/encode.ts"))};
const value = process.argv[2] === "weak" ? new WeakMap() : { a: 1 };
try {
  console.log(formatValue(storedForm(value)));
} catch (thrown) {
  console.log(notStorable("value", thrown).message);
}
`;

beforeAll(async () => {
  await build({
    ...shared,
    format: "cjs",
    entryPoints: { ...BUNDLED_PACKAGES },
    outExtension: { ".js": ".cjs" },
  });
  for (const [format, extension] of [
    ["esm", ".mjs"],
    ["cjs", ".cjs"],
  ] as const) {
    const built = await build({
      ...shared,
      format,
      stdin: { contents: SCRIPT, resolveDir: process.cwd(), loader: "ts", sourcefile: `script-${format}.ts` },
      entryNames: `script-${format}`,
      outExtension: { ".js": extension },
      plugins: [requireBundled(format)],
    });
    inputs.push(...Object.keys(built.metafile.inputs));
  }
});

/** Runs the script, and lists what it printed and whether it loaded the printers. */
function run(extension: string, argument: string): readonly string[] {
  const script = join(directory, `script-${extension === ".mjs" ? "esm" : "cjs"}${extension}`);
  const loaded = join(directory, "loaded.mjs");
  writeFileSync(
    loaded,
    `import { createRequire } from "node:module";
     const { cache } = createRequire(import.meta.url);
     process.on("exit", () => console.log(Object.keys(cache).some((path) => path.endsWith("pretty.cjs"))));`,
  );
  const { stdout, stderr } = spawnSync(process.execPath, ["--import", loaded, script, argument], { encoding: "utf8" });
  return [...stdout.trim().split("\n"), ...(stderr === "" ? [] : [stderr])];
}

test("a check loads neither pretty-format nor jest-diff", () => {
  expect(inputs.filter((path) => /node_modules\/(?:pretty-format|jest-diff)\//.test(path))).toStrictEqual([]);
  expect(readFileSync(join(directory, "pretty.cjs"), "utf8")).toContain("node_modules/jest-diff/");
});

test.each([".mjs", ".cjs"])("a check of plain JSON loads no printer, but one that refuses a WeakMap does (%s)", {
  tags: "deep",
}, (extension) => {
  expect(run(extension, "plain")).toStrictEqual(['{"a":1}', "false"]);
  expect(run(extension, "weak")).toStrictEqual([
    "The value can't be stored: a baseline can't store a WeakMap at \"(root)\". " +
      "Convert it to plain data, or add a codec for it (configureValues). Value: WeakMap {}",
    "true",
  ]);
});
