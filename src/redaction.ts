export {
  type Redacted,
  type RedactedSecret,
  type Redactor,
  type RedactorOptions,
  createRedactor,
} from "./redact/create-redactor.ts";
export { configureRedaction } from "./redact/current-redactor.ts";
export { type SecretFinding, findSecrets } from "./redact/find-secrets.ts";
export { type KnownSecret, secretVariables } from "./redact/known-values.ts";
