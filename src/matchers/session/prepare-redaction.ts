import { dirname } from "node:path";
import { placesOf, projectRoot, projectSalt } from "../../kernel/files/places.ts";
import { saltFrom } from "../../redact/redaction-state.ts";
import { announcedRun } from "../../updates/run-identity.ts";

/** Tells the redactor of this worker where its project keeps the salt; nothing is read before a secret is found. */
export function prepareRedaction(testPath: string, environment: NodeJS.ProcessEnv): void {
  saltFrom(() =>
    projectSalt(announcedRun(environment)?.places ?? placesOf(projectRoot(dirname(testPath)), environment)),
  );
}
