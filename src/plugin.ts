import { fileURLToPath } from "node:url";
import VeritestReporter from "./reporter/vitest.ts";

/** What Vitest hands to `configureVitest`, as far as it is used here; the same in Vitest 3.2 to 5. */
export interface VitestSetup {
  readonly project: { readonly config: { readonly setupFiles: string[]; readonly snapshotSerializers: string[] } };
  readonly vitest: { readonly config: { readonly reporters: unknown[] } };
}

/** A Vite plugin, as far as it is used here. */
export interface VeritestPlugin {
  readonly name: string;
  configureVitest(setup: VitestSetup): void;
}

/** Marks a Vitest that has the reporter: projects share one, and a bundled configuration may load this file twice. */
const REPORTED = Symbol.for("veritest.reporter");

/**
 * The Vitest plugin: adds the matchers, the serializer and the reporter to every project.
 *
 * @example
 * export default defineConfig({ plugins: [veritest()] });
 */
export function veritest(): VeritestPlugin {
  return {
    name: "veritest",
    configureVitest({ project, vitest }) {
      project.config.setupFiles.push(beside("./vitest.js"));
      project.config.snapshotSerializers.push(beside("./serializer.js"));
      if (Reflect.has(vitest, REPORTED)) return;
      Reflect.set(vitest, REPORTED, true);
      vitest.config.reporters.push(new VeritestReporter());
    },
  };
}

/** The configuration is resolved already: only absolute paths are understood. */
function beside(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
