import { describe, expect, test } from "vitest";
import { editJestConfig } from "./edit-jest-config.ts";

interface Shape {
  readonly what: string;
  readonly name: string;
  readonly key?: string;
  readonly before: string;
  readonly after: string;
}

const SHAPES: readonly Shape[] = [
  {
    what: "what jest --init writes",
    name: "jest.config.js",
    before: `/** @type {import('jest').Config} */
const config = {
  // A preset that is used as a base for Jest's configuration
  // preset: undefined,
  clearMocks: true,
};

module.exports = config;
`,
    after: `/** @type {import('jest').Config} */
const config = {
  // A preset that is used as a base for Jest's configuration
  // preset: undefined,
  preset: "veritest/jest",
  clearMocks: true,
};

module.exports = config;
`,
  },
  {
    what: "an empty object",
    name: "jest.config.cjs",
    before: "module.exports = {};\n",
    after: `module.exports = { preset: "veritest/jest" };\n`,
  },
  {
    what: "an ES module",
    name: "jest.config.mjs",
    before: "export default { testEnvironment: 'node' }\n",
    after: "export default { preset: 'veritest/jest', testEnvironment: 'node' }\n",
  },
  {
    what: "TypeScript",
    name: "jest.config.ts",
    before: `import type { Config } from "jest";

const config: Config = {
  transform: { "^.+\\\\.ts$": ["ts-jest", {}] },
};

export default config;
`,
    after: `import type { Config } from "jest";

const config: Config = {
  preset: "veritest/jest",
  transform: { "^.+\\\\.ts$": ["ts-jest", {}] },
};

export default config;
`,
  },
  {
    what: "an async function",
    name: "jest.config.js",
    before: "module.exports = async () => ({ verbose: true });\n",
    after: `module.exports = async () => ({ preset: "veritest/jest", verbose: true });\n`,
  },
  {
    what: "another preset",
    name: "jest.config.js",
    before: `module.exports = {
  preset: "ts-jest",
  testEnvironment: "node",
};
`,
    after: `module.exports = {
  setupFilesAfterEnv: ["veritest/jest-setup"],
  snapshotSerializers: ["veritest/serializer"],
  reporters: ["default", "veritest/reporter/jest"],
  watchPathIgnorePatterns: ["/__baselines__/"],
  preset: "ts-jest",
  testEnvironment: "node",
};
`,
  },
  {
    what: "another preset, and lists of its own",
    name: "jest.config.js",
    before: `module.exports = {
  preset: "ts-jest",
  setupFilesAfterEnv: ["<rootDir>/setup.js"],
  reporters: [
    "default",
    ["jest-junit", { outputName: "x.xml" }],
  ],
  snapshotSerializers: [],
  watchPathIgnorePatterns: ["/dist/"],
};
`,
    after: `module.exports = {
  preset: "ts-jest",
  setupFilesAfterEnv: ["<rootDir>/setup.js", "veritest/jest-setup"],
  reporters: [
    "default",
    ["jest-junit", { outputName: "x.xml" }],
    "veritest/reporter/jest",
  ],
  snapshotSerializers: ["veritest/serializer"],
  watchPathIgnorePatterns: ["/dist/", "/__baselines__/"],
};
`,
  },
  {
    what: "reporters of its own, which the preset's would be left out for",
    name: "jest.config.js",
    before: `module.exports = { reporters: ["default"], setupFilesAfterEnv: ["./a.js"] };\n`,
    after: `module.exports = { preset: "veritest/jest", reporters: ["default", "veritest/reporter/jest"], setupFilesAfterEnv: ["./a.js"] };\n`,
  },
  {
    what: "JSON",
    name: "jest.config.json",
    before: `{\n  "verbose": true\n}\n`,
    after: `{\n  "preset": "veritest/jest",\n  "verbose": true\n}\n`,
  },
  { what: "empty JSON", name: "jest.config.json", before: "{}\n", after: `{ "preset": "veritest/jest" }\n` },
  {
    what: "package.json",
    name: "package.json",
    key: "jest",
    before: `{
  "name": "a",
  "scripts": { "jest": "jest" },
  "jest": {
    "testEnvironment": "node"
  }
}
`,
    after: `{
  "name": "a",
  "scripts": { "jest": "jest" },
  "jest": {
    "preset": "veritest/jest",
    "testEnvironment": "node"
  }
}
`,
  },
  {
    what: "package.json with another preset and Windows line ends",
    name: "package.json",
    key: "jest",
    before: `{\r\n  "jest": {\r\n    "preset": "jest-expo"\r\n  }\r\n}\r\n`,
    after: `{\r\n  "jest": {\r\n    "setupFilesAfterEnv": ["veritest/jest-setup"],\r\n    "snapshotSerializers": ["veritest/serializer"],\r\n    "reporters": ["default", "veritest/reporter/jest"],\r\n    "watchPathIgnorePatterns": ["/__baselines__/"],\r\n    "preset": "jest-expo"\r\n  }\r\n}\r\n`,
  },
];

describe("adds the preset to", () => {
  test.each(SHAPES)("$what", ({ name, before, after, key }) => {
    expect(editJestConfig({ name, text: before }, { key })).toStrictEqual({ kind: "edit", text: after });
    expect(editJestConfig({ name, text: after }, { key })).toStrictEqual({ kind: "done" });
  });
});

const PRESET = [`preset: "veritest/jest"`];

describe("leaves to the user", () => {
  test.each<[string, string, string, readonly string[]]>([
    [
      "what is spread into it",
      `const { jestPreset } = require("./p");\nmodule.exports = { ...jestPreset };\n`,
      "an object that is spread into it might have a preset",
      PRESET,
    ],
    [
      "projects",
      `module.exports = { projects: ["<rootDir>/a"] };\n`,
      "each of its projects needs the preset (in a package, run veritest init there), and its top level the reporter",
      [...PRESET, `reporters: ["default", "veritest/reporter/jest"]`],
    ],
    [
      "projects below the reporter",
      `module.exports = { reporters: ["veritest/reporter/jest"], projects: ["<rootDir>/a"] };\n`,
      "each of its projects needs the preset (in a package, run veritest init there), and its top level the reporter",
      PRESET,
    ],
    [
      "what a helper makes",
      `const makeConfig = require("./make");\nmodule.exports = makeConfig({})({ testEnvironment: "node" });\n`,
      "its export isn't a plain object",
      PRESET,
    ],
    [
      "lists that are no plain lists",
      `module.exports = { preset: "ts-jest", reporters: [].concat("default") };\n`,
      "its lists aren't plain lists",
      [
        `setupFilesAfterEnv: ["veritest/jest-setup"]`,
        `snapshotSerializers: ["veritest/serializer"]`,
        `reporters: ["default","veritest/reporter/jest"]`,
        `watchPathIgnorePatterns: ["/__baselines__/"]`,
      ],
    ],
  ])("%s", (_what, text, because, lines) => {
    expect(editJestConfig({ name: "jest.config.js", text })).toStrictEqual({ kind: "tell", reason: because, lines });
  });
});

test.each([
  [
    "jest.config.mjs",
    `import nextJest from "next/jest.js";\nconst create = nextJest({ dir: "./" });\n`,
    `const config = { PRESETtestEnvironment: "jsdom" };\nexport default create(config);\n`,
  ],
  [
    "jest.config.ts",
    `import type { Config } from "jest";\nimport nextJest from "next/jest.js";\nconst create = nextJest({ dir: "./" });\n`,
    `const config: Config = { PRESETtestEnvironment: "jsdom" };\nexport default create(config);\n`,
  ],
  [
    "jest.config.js",
    `const nextJest = require("next/jest");\nconst create = nextJest({ dir: "./" });\n`,
    `const custom = { PRESETtestEnvironment: "jsdom" };\nmodule.exports = create(custom);\n`,
  ],
  [
    "jest.config.cjs",
    `const next = require("next/jest.js");\n`,
    `module.exports = next({})({ PRESETclearMocks: true });\n`,
  ],
])("adds the preset, and the list that next/jest replaces, to what next/jest gets in %s", (name, head, tail) => {
  expect(editJestConfig({ name, text: head + tail.replace("PRESET", "") })).toStrictEqual({
    kind: "edit",
    text: head + tail.replace("PRESET", 'preset: "veritest/jest", watchPathIgnorePatterns: ["/__baselines__/"], '),
  });
});
