import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const HERE = pathToFileURL(resolve(import.meta.dirname, "enable-typescript.ts")).href;

/** What a process of its own prints that takes TypeScript and then imports `main.ts` of a CommonJS package. */
function printed(files: Readonly<Record<string, string>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-typescript-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries({ "package.json": '{ "type": "commonjs" }', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const main = JSON.stringify(pathToFileURL(join(root, "main.ts")).href);
  const script = `import { enableTypeScript } from ${JSON.stringify(HERE)};
enableTypeScript();
enableTypeScript();
import(${main}).then(({ said }) => console.log(said), ({ code, message }) => console.log(code ?? message));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--no-warnings", "--input-type=module", "-e", script], {
    encoding: "utf8",
    cwd: root,
  });
  return (stdout + stderr).trim();
}

test("loads modules in a CommonJS package: without an extension, as a folder, and by their compiled name", {
  tags: "deep",
}, () => {
  const files = {
    "main.ts": `// import stands in comments, too
import { one } from "./one";
import { two } from "./two/index.js";
import { three } from "./three";
export const said: string = [one, two, three].join(" ");
`,
    "one.ts": "// Not exports.one = 1, as in CommonJS.\nexport const one: number = 1; // module.exports = 1\n",
    "two/index.ts": "export default {};\nexport const two: number = 2;\n",
    "three/index.ts": "import type { one } from '../one';\nexport const three: typeof one = 3;\n",
  };
  expect(printed(files)).toBe("1 2 3");
});

test("loads JavaScript with import and export in a CommonJS package, as Babel does", { tags: "deep" }, () => {
  const files = {
    "main.ts": 'import { said } from "./said";\nexport { said };\n',
    "said.js": 'import { one } from "./one";\nimport two from "./two";\nexport const said = `${one} ${two}`;\n',
    "one/index.js": "export const one = 1;\n",
    "two.js": "const text = /`/;\nmodule.exports = `\nimport a from 'a';\n`.length + String(text).length;\n",
  };
  expect(printed(files)).toBe("1 23");
});

test("keeps CommonJS files CommonJS, despite their strings and comments", { tags: "deep" }, () => {
  const text = "`\nexport const a = 1;\n`";
  expect(
    printed({ "main.ts": `/*\nimport a from "a";\n*/\nconst text: string = ${text};\nexports.said = text.length;\n` }),
  ).toBe("21");
  const old = 'import fs = require("node:fs");\nexport const said = 1;\n';
  expect(printed({ "main.ts": old })).toBe("ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX");
});

test("ignores packages, and reports a missing file by its imported name", { tags: "deep" }, () => {
  const inside = { "node_modules/a/package.json": "{}", "node_modules/a/index.js": 'require("./b");\n' };
  expect(printed({ ...inside, "node_modules/a/b.ts": "", "main.ts": 'import "a";\nexport const said = 1;\n' })).toBe(
    "MODULE_NOT_FOUND",
  );
  expect(printed({ "main.ts": 'import "./gone";\nexport const said = 1;\n' })).toBe("ERR_MODULE_NOT_FOUND");
});
