import type { Baseline } from "../../baseline/baseline.ts";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { createRedactor } from "../../redact/create-redactor.ts";
import { findSecrets } from "../../redact/find-secrets.ts";
import { type KnownSecret, secretVariables } from "../../redact/known-values.ts";
import type { RedactSettings } from "../../settle/policy.ts";
import type { Finding } from "./finding.ts";
import { jsonPathAt } from "./json-path-at.ts";

const ADVICE = "Redact it (redact in veritest.config.ts), capture again, and replace the key: git keeps the old file";

/** What is a secret in this project. */
export interface SecretRules {
  readonly redact: RedactSettings;
  readonly values: readonly KnownSecret[];
}

/** The rules by which a run of this project hides secrets. */
export function secretRules(redact: RedactSettings, environment: NodeJS.ProcessEnv): SecretRules {
  return { redact, values: secretVariables(environment) };
}

/** The secrets in the text of a file: what a run of this project would have hidden before it wrote it. */
export function findFileSecrets(text: string, file: string, { redact, values }: SecretRules): Finding[] {
  // A path is kept by its last name here: the text of a file does not tell where in a step a value stood.
  const keep = redact.keep.map((path) => path.split(".").at(-1) ?? path);
  return findSecrets(text, { values, keep, fields: redact.fields, patterns: redact.patterns }).map(
    ({ kind, index, shown }) => ({
      kind: "secret",
      file,
      path: jsonPathAt(text, index),
      message: `${kind}, ${shown}. ${ADVICE}`,
    }),
  );
}

/** What stands in a baseline at a path that the project's `redact.paths` name. */
export function findHiddenPaths(baseline: Baseline, file: string, { redact }: SecretRules): Finding[] {
  if (redact.paths.length === 0) return [];
  const redactor = createRedactor({ paths: redact.paths, keep: redact.keep });
  const found = partsOf(baseline).flatMap(({ value, at }) => redactor.redact(value, at).found);
  return found
    .filter(({ kind }) => kind === "path")
    .map(({ path }) => ({
      kind: "secret",
      file,
      path,
      message: `redact.paths hides this, and it is there. ${ADVICE}`,
    }));
}

interface Part {
  readonly value: unknown;
  /** Where it stands, as a run names it. */
  readonly at: readonly string[];
}

function partsOf(baseline: Baseline): readonly Part[] {
  const { labels, meta } = baseline;
  const head = { labels, meta };
  const parts =
    baseline.kind === "value"
      ? { ...head, value: baseline.value }
      : {
          ...head,
          input: baseline.input,
          output: baseline.output,
          events: baseline.events,
          commands: baseline.commands,
        };
  const calls = baseline.kind === "value" ? [] : baseline.calls.flatMap(partsOfCall);
  return [...Object.entries(parts).map(([name, value]) => ({ value, at: [name] })), ...calls];
}

function partsOfCall({ adapter, request, response, error }: AdapterCall): Part[] {
  const place = adapter === "" ? [] : adapter.split(".");
  return Object.entries({ request, response, error }).flatMap(([name, value]) =>
    value === undefined ? [] : { value, at: [...place, name] },
  );
}
