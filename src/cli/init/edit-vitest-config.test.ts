import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editVitestConfig } from "./edit-vitest-config.ts";

interface Shape {
  readonly what: string;
  readonly name: string;
  readonly esm?: boolean;
  readonly before: string;
  readonly after: string;
}

const SHAPES: readonly Shape[] = [
  {
    what: "a plugin in parentheses",
    name: "vitest.config.mts",
    before: `import a from "a";\nexport default { plugins: [ (a()) ] };\n`,
    after: `import { veritest } from "veritest/plugin";\nimport a from "a";\nexport default { plugins: [ (a()), veritest() ] };\n`,
  },
  {
    what: "a comment before the last comma",
    name: "vitest.config.mts",
    before: `import a from "a";\nexport default {\n  plugins: [\n    a(), // ]\n    (a() /* ) */) /* , */,\n  ],\n};\n`,
    after: `import { veritest } from "veritest/plugin";\nimport a from "a";\nexport default {\n  plugins: [\n    a(), // ]\n    (a() /* ) */) /* , */,\n    veritest(),\n  ],\n};\n`,
  },
  {
    what: "a plugin with an option that is called projects",
    name: "vitest.config.mts",
    before: `import paths from "vite-tsconfig-paths";\nexport default { plugins: [paths({ projects: ["a"] })] };\n`,
    after: `import { veritest } from "veritest/plugin";\nimport paths from "vite-tsconfig-paths";\nexport default { plugins: [paths({ projects: ["a"] }), veritest()] };\n`,
  },
  {
    what: "an object with other things",
    name: "vitest.config.ts",
    before: `import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { globals: true },
});
`,
    after: `import { veritest } from "veritest/plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [veritest()],
  test: { globals: true },
});
`,
  },
  {
    what: "an empty object, in the file's own style",
    name: "vitest.config.mts",
    before: `import { defineConfig } from 'vitest/config'

export default defineConfig({})
`,
    after: `import { veritest } from 'veritest/plugin'
import { defineConfig } from 'vitest/config'

export default defineConfig({ plugins: [veritest()] })
`,
  },
  {
    what: "an empty object over two lines",
    name: "vitest.config.js",
    esm: true,
    before: `import { defineConfig } from "vitest/config";
export default defineConfig({
  // nothing yet
});
`,
    after: `import { veritest } from "veritest/plugin";
import { defineConfig } from "vitest/config";
export default defineConfig({
  plugins: [veritest()]
  // nothing yet
});
`,
  },
  {
    what: "plugins in one line",
    name: "vite.config.ts",
    before: `import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// https://vite.dev/config/
export default defineConfig({
  plugins: [react()],
})
`,
    after: `import { veritest } from 'veritest/plugin'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// https://vite.dev/config/
export default defineConfig({
  plugins: [react(), veritest()],
})
`,
  },
  {
    what: "a last plugin with a comment that has a comma and a parenthesis",
    name: "vitest.config.ts",
    before: `import { defineConfig } from "vitest/config";
export default defineConfig({
  plugins: [
    a() // one, two (three)
  ],
  resolve: { alias: { workspace: "./w" } },
});
`,
    after: `import { veritest } from "veritest/plugin";
import { defineConfig } from "vitest/config";
export default defineConfig({
  plugins: [
    a(), // one, two (three)
    veritest()
  ],
  resolve: { alias: { workspace: "./w" } },
});
`,
  },
  {
    what: "plugins over several lines, the last one with a comment",
    name: "vitest.config.ts",
    before: `import a from "a";
import { defineConfig } from "vitest/config";
export default defineConfig({
  plugins: [
    a({ deep: [1, 2] }), // needed
    a() // too
  ],
});
`,
    after: `import { veritest } from "veritest/plugin";
import a from "a";
import { defineConfig } from "vitest/config";
export default defineConfig({
  plugins: [
    a({ deep: [1, 2] }), // needed
    a(), // too
    veritest()
  ],
});
`,
  },
  {
    what: "plugins with a comma at the end",
    name: "vitest.config.ts",
    before: `import a from "a";
export default {
	plugins: [
		a(),
	],
};
`,
    after: `import { veritest } from "veritest/plugin";
import a from "a";
export default {
	plugins: [
		a(),
		veritest(),
	],
};
`,
  },
  {
    what: "an empty list of plugins",
    name: "vitest.config.mjs",
    before: `export default { plugins: [] };\n`,
    after: `import { veritest } from "veritest/plugin";\n\nexport default { plugins: [veritest()] };\n`,
  },
  {
    what: "a list that is filtered",
    name: "vitest.config.ts",
    before: `import a from "a";\nexport default { plugins: [process.env.X && a()].filter(Boolean) };\n`,
    after: `import { veritest } from "veritest/plugin";\nimport a from "a";\nexport default { plugins: [process.env.X && a(), veritest()].filter(Boolean) };\n`,
  },
  {
    what: "a function that gives an object",
    name: "vitest.config.ts",
    before: `import { defineConfig } from "vitest/config";

export default defineConfig(({ mode }) => ({
  test: { name: mode },
}));
`,
    after: `import { veritest } from "veritest/plugin";
import { defineConfig } from "vitest/config";

export default defineConfig(({ mode }) => ({
  plugins: [veritest()],
  test: { name: mode },
}));
`,
  },
  {
    what: "an async function with a block",
    name: "vitest.config.ts",
    before: `import { type UserConfig, defineConfig } from "vitest/config";

export default defineConfig(async ({ mode }): Promise<UserConfig> => {
  const name: string = \`of \${mode === "a" ? \`\${{ plugins: [1] }}\` : "b"}\`;
  return {
    test: { name },
  };
});
`,
    after: `import { veritest } from "veritest/plugin";
import { type UserConfig, defineConfig } from "vitest/config";

export default defineConfig(async ({ mode }): Promise<UserConfig> => {
  const name: string = \`of \${mode === "a" ? \`\${{ plugins: [1] }}\` : "b"}\`;
  return {
    plugins: [veritest()],
    test: { name },
  };
});
`,
  },
  {
    what: "mergeConfig",
    name: "vitest.config.ts",
    before: `import { defineConfig, mergeConfig } from "vitest/config";
import viteConfig from "./vite.config";

export default mergeConfig(viteConfig, defineConfig({
  test: { environment: "jsdom" },
}));
`,
    after: `import { veritest } from "veritest/plugin";
import { defineConfig, mergeConfig } from "vitest/config";
import viteConfig from "./vite.config";

export default mergeConfig(viteConfig, defineConfig({
  plugins: [veritest()],
  test: { environment: "jsdom" },
}));
`,
  },
  {
    what: "mergeConfig of an object and a function",
    name: "vitest.config.ts",
    before: `import { mergeConfig } from "vitest/config";
import base from "./base";
export default mergeConfig({ plugins: [base] }, { test: {} });
`,
    after: `import { veritest } from "veritest/plugin";
import { mergeConfig } from "vitest/config";
import base from "./base";
export default mergeConfig({ plugins: [base] }, { plugins: [veritest()], test: {} });
`,
  },
  {
    what: "a constant with a type",
    name: "vitest.config.ts",
    before: `import type { ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = {
  test: {},
};
export default config;
`,
    after: `import { veritest } from "veritest/plugin";
import type { ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = {
  plugins: [veritest()],
  test: {},
};
export default config;
`,
  },
  {
    what: "satisfies",
    name: "vitest.config.ts",
    before: `import type { UserConfig } from "vite";\nexport default { test: {} } satisfies UserConfig;\n`,
    after: `import { veritest } from "veritest/plugin";\nimport type { UserConfig } from "vite";\nexport default { plugins: [veritest()], test: {} } satisfies UserConfig;\n`,
  },
  {
    what: "comments and texts that hold plugins",
    name: "vitest.config.ts",
    before: `// plugins: [old()],
import { defineConfig } from "vitest/config";
/* export default defineConfig({ plugins: [] }); */
const text = "plugins: [";
const pattern = /plugins: \\[[/"]/;
export default defineConfig({
  // plugins: [later()],
  test: { name: text.replace(pattern, "export default {") },
});
`,
    after: `// plugins: [old()],
import { veritest } from "veritest/plugin";
import { defineConfig } from "vitest/config";
/* export default defineConfig({ plugins: [] }); */
const text = "plugins: [";
const pattern = /plugins: \\[[/"]/;
export default defineConfig({
  // plugins: [later()],
  plugins: [veritest()],
  test: { name: text.replace(pattern, "export default {") },
});
`,
  },
  {
    what: "Windows line ends",
    name: "vitest.config.ts",
    before: `import { defineConfig } from "vitest/config";\r\nexport default defineConfig({\r\n  test: {},\r\n});\r\n`,
    after: `import { veritest } from "veritest/plugin";\r\nimport { defineConfig } from "vitest/config";\r\nexport default defineConfig({\r\n  plugins: [veritest()],\r\n  test: {},\r\n});\r\n`,
  },
  {
    what: "CommonJS",
    name: "vitest.config.cjs",
    before: `const { defineConfig } = require("vitest/config");\n\nmodule.exports = defineConfig({ test: {} });\n`,
    after: `const { veritest } = require("veritest/plugin");\nconst { defineConfig } = require("vitest/config");\n\nmodule.exports = defineConfig({ plugins: [veritest()], test: {} });\n`,
  },
  {
    what: "CommonJS in a .js file",
    name: "vitest.config.js",
    before: `module.exports = { test: {} };\n`,
    after: `const { veritest } = require("veritest/plugin");\n\nmodule.exports = { plugins: [veritest()], test: {} };\n`,
  },
  {
    what: "what must stay first, and a type in a comment",
    name: "vitest.config.mjs",
    before: `// @ts-check\n/// <reference types="vitest" />\n\n/** @type {import("vitest/config").ViteUserConfig} */\nexport default {\n  test: {},\n};\n`,
    after: `// @ts-check\n/// <reference types="vitest" />\n\nimport { veritest } from "veritest/plugin";\n\n/** @type {import("vitest/config").ViteUserConfig} */\nexport default {\n  plugins: [veritest()],\n  test: {},\n};\n`,
  },
  {
    what: "a function by the old name",
    name: "vitest.config.ts",
    before: `import { defineConfig } from "vitest/config";\nexport default defineConfig(function () {\n  return { test: {} };\n});\n`,
    after: `import { veritest } from "veritest/plugin";\nimport { defineConfig } from "vitest/config";\nexport default defineConfig(function () {\n  return { plugins: [veritest()], test: {} };\n});\n`,
  },
];

describe("adds the plugin to", () => {
  test.each(SHAPES)("$what", ({ name, before, after, esm = false }) => {
    expect(editVitestConfig({ name, text: before, esm })).toStrictEqual({ kind: "edit", text: after });
    expect(editVitestConfig({ name, text: after, esm })).toStrictEqual({ kind: "done" });
  });
});

const LINES = [`import { veritest } from "veritest/plugin";`, "plugins: [veritest()]"];

describe("leaves to the user", () => {
  test.each([
    [
      "plugins that are a variable",
      "const plugins = [];\nexport default { plugins };\n",
      "its plugins aren't a plain list",
    ],
    [
      "plugins that are chosen",
      "export default { plugins: process.env.CI ? [] : [] };\n",
      "its plugins aren't a plain list",
    ],
    [
      "plugins that are made from a list",
      `export default { plugins: ["a", "b"].map((name) => load(name)) };\n`,
      "its plugins aren't a plain list",
    ],
    [
      "projects of a constant",
      `const tests = { projects: ["a"] };\nexport default { test: tests };\n`,
      "each of its projects needs the plugin (in a package, run veritest init there)",
    ],
    [
      "projects of a configuration that is merged",
      `export default mergeConfig({ test: { workspace: ["a"] } }, { test: {} });\n`,
      "each of its projects needs the plugin (in a package, run veritest init there)",
    ],
    ["plugins that are added up", "export default { plugins: [] + [] };\n", "its plugins aren't a plain list"],
    [
      "what is spread into it",
      `import base from "./base";\nexport default { ...base, test: {} };\n`,
      "an object that is spread into it might have plugins",
    ],
    [
      "projects",
      `export default { test: { projects: ["packages/*"] } };\n`,
      "each of its projects needs the plugin (in a package, run veritest init there)",
    ],
    [
      "an object that is changed later",
      "const config = { test: {} };\nconfig.plugins = [];\nexport default config;\n",
      "its export isn't a plain object",
    ],
    [
      "a function that returns twice",
      "export default () => { if (process.env.CI) return { test: {} }; return {}; };\n",
      "its export isn't a plain object",
    ],
    [
      "a helper nobody knows",
      `import { make } from "./make";\nexport default make({ test: {} });\n`,
      "its export isn't a plain object",
    ],
    ["two exports", "module.exports = {};\nmodule.exports = { test: {} };\n", "its export isn't a plain object"],
    ["nothing that is exported", "const config = {};\n", "its export isn't a plain object"],
    [
      "a name that is taken",
      `import veritest from "./mine";\nexport default { plugins: [veritest] };\n`,
      "another value in it is named veritest",
    ],
    ["what does not end", "export default { plugins: [\n", "it can't be parsed"],
    ["what is no code", "export default { plugins: [] } }\n", "it can't be parsed"],
    ["what does not compile", "const = 1;\nexport default { plugins: [] };\n", "it can't be parsed"],
  ])("%s", (_what, text, because) => {
    expect(editVitestConfig({ name: "vitest.config.ts", text, esm: true })).toStrictEqual({
      kind: "tell",
      reason: because,
      lines: LINES,
    });
  });
});

test("accepts a configuration that was set up by hand", () => {
  expect(
    editVitestConfig({
      name: "vitest.config.ts",
      text: `export default { test: { setupFiles: ["veritest/vitest"] } };\n`,
      esm: true,
    }),
  ).toStrictEqual({ kind: "done" });
});

test("for any text, only adds text, and does so once", () => {
  const pieces = fc.constantFrom(
    "export default ",
    "defineConfig(",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "plugins:",
    "plugins: [a()]",
    "test: {}",
    ",",
    ";",
    "\n",
    "// plugins: [",
    "/*",
    "*/",
    '"',
    "'",
    "`",
    "${",
    "=>",
    "...base",
    "const c = ",
    "c",
    "/x/",
    'import a from "a";\n',
    "é",
    "\r\n",
    "\\",
  );
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join("")),
    fc
      .tuple(fc.constantFrom(...SHAPES), fc.nat(), pieces)
      .map(([{ before }, at, piece]) => before.slice(0, at % before.length) + piece + before.slice(at % before.length)),
  );
  let edits = 0;
  fc.assert(
    fc.property(texts, (text) => {
      const edit = editVitestConfig({ name: "vitest.config.mjs", text, esm: true });
      if (edit.kind !== "edit") return;
      edits += 1;
      expect(isSubsequence(text, edit.text)).toBe(true);
      expect(editVitestConfig({ name: "vitest.config.mjs", text: edit.text, esm: true })).toStrictEqual({
        kind: "done",
      });
    }),
    { numRuns: 300 },
  );
  expect(edits).toBeGreaterThan(20);
});

function isSubsequence(short: string, long: string): boolean {
  let at = 0;
  for (const character of long) if (at < short.length && short.startsWith(character, at)) at += character.length;
  return at === short.length;
}
