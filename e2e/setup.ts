import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";
import { REPOSITORY, install, must } from "./harness/install.ts";
import { runners } from "./harness/runners.ts";

/** Names a tarball to test instead of this checkout, for example the published one. */
const TARBALL_VARIABLE = "VERITEST_E2E_TARBALL";

declare module "vitest" {
  interface ProvidedContext {
    /** The path of the package that is tested. */
    readonly tarball: string;
  }
}

/** Builds what is out of date, packs it and installs it into every runner's project; returns what clears up. */
export async function setup(project: TestProject): Promise<() => void> {
  const given = process.env[TARBALL_VARIABLE] || undefined;
  const folder = mkdtempSync(join(tmpdir(), "veritest-pack-"));
  const clear = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const tarball = resolve(given ?? (await pack(folder)));
    // Two at a time: npm unpacks in parallel by itself.
    const rest = [...runners];
    const worker = async (): Promise<void> => {
      for (let runner = rest.shift(); runner !== undefined; runner = rest.shift()) await install(runner, tarball);
    };
    await Promise.all([worker(), worker()]);
    project.provide("tarball", tarball);
    return clear;
  } catch (thrown) {
    clear();
    throw thrown;
  }
}

async function pack(folder: string): Promise<string> {
  if (isStale()) await must("npm", ["run", "--silent", "build"], REPOSITORY);
  await must("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], REPOSITORY);
  const [name] = readdirSync(folder);
  if (name === undefined) throw new Error(`npm pack left no tarball in ${folder}.`);
  return join(folder, name);
}

/** True when there is no build, or something that goes into it is newer. */
function isStale(): boolean {
  const built = join(REPOSITORY, "dist", "index.d.ts");
  if (!existsSync(built)) return true;
  const sources = readdirSync(join(REPOSITORY, "src"), { recursive: true, encoding: "utf8" }).filter(
    (name) => !name.endsWith(".test.ts"),
  );
  const builders = ["bundle-page.ts", "build/lazy-parts.ts"].map((name) => join("scripts", name));
  const inputs = ["package.json", "tsup.config.ts", ...builders, ...sources.map((name) => join("src", name))].map(
    (name) => join(REPOSITORY, name),
  );
  const { mtimeMs } = statSync(built);
  return inputs.some((path) => statSync(path).isFile() && statSync(path).mtimeMs > mtimeMs);
}
