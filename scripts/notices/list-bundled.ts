import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "tsup";
import { z } from "zod";
import configs from "../../tsup.config.ts";

/** A package whose code is in dist. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX identifier from its package.json. */
  readonly licence: string;
  /** Its licence file. */
  readonly text: string;
}

const METAFILE = z.object({
  outputs: z.record(z.string(), z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })) })),
});
const MANIFEST = z.object({ name: z.string(), version: z.string(), license: z.string() });
/** The innermost package of a path. */
const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Builds all of dist in a temporary directory, without declarations, and returns the files that esbuild included. */
async function bundledFiles(): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), "veritest-notices-"));
  try {
    for (const [index, options] of configs.entries()) {
      const outDir = join(directory, String(index));
      await build({ ...options, config: false, dts: false, metafile: true, silent: true, outDir });
    }
    return globSync(join(directory, "*", "metafile-*.json")).flatMap((path) => {
      const { outputs } = METAFILE.parse(JSON.parse(readFileSync(path, "utf8")));
      return Object.values(outputs).flatMap(({ inputs }) =>
        Object.entries(inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : [])),
      );
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A text with the line ends that git writes. */
function readText(path: string): string {
  return readFileSync(path, "utf8").replaceAll("\r\n", "\n").trim();
}

function readPackage(directory: string): BundledPackage {
  const { name, version, license } = MANIFEST.parse(JSON.parse(readFileSync(join(directory, "package.json"), "utf8")));
  const [file] = globSync("{LICENSE,LICENCE,License,Licence,license,licence}*", { cwd: directory }).sort();
  if (file === undefined)
    throw new Error(
      `Cannot give notice of ${name} ${version}: ${directory} has no licence file. Bundle another package.`,
    );
  return { name, version, licence: license, text: readText(join(directory, file)) };
}

/** Each package that esbuild put into dist, by name and version. */
export async function listBundled(): Promise<readonly BundledPackage[]> {
  const directories = new Set((await bundledFiles()).flatMap((path) => PACKAGE.exec(path) ?? []));
  return [...directories]
    .map(readPackage)
    .sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}
