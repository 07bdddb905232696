import type { Runner } from "./runners.ts";

/** Names of the projects, which their tests read as `globalThis.REGION ?? process.env.REGION`. */
const NAMES = ["north", "south"];

/** Files of a configuration with two projects that run the same test files. */
export function regionProjects({ kind }: Pick<Runner, "kind">): Readonly<Record<string, string>> {
  if (kind === "vitest")
    return {
      "vitest.config.js": `import { veritest } from "veritest/plugin";
const project = (name) => ({ extends: true, test: { name, env: { REGION: name } } });
export default { plugins: [veritest()], test: { projects: ${JSON.stringify(NAMES)}.map(project) } };
`,
    };
  return {
    "jest.config.json": JSON.stringify({
      reporters: ["default", "veritest/reporter/jest"],
      projects: NAMES.map((name) => ({ displayName: name, preset: "veritest/jest", globals: { REGION: name } })),
    }),
  };
}
