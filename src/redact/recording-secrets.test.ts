import { expect, test, vi } from "vitest";
import {
  RecordingSecrets,
  withRecordingSecrets,
  rememberSecrets,
  currentRecordingSecrets,
  secretsOf,
} from "./recording-secrets.ts";

const SECRET = "k7Qz2mXw9LtR4vBn";

test("another copy of this module sees the secrets of a recording and of a result", async () => {
  vi.resetModules();
  const other = await import("./recording-secrets.ts");
  expect(other.RecordingSecrets).not.toBe(RecordingSecrets);
  const secrets = new RecordingSecrets();
  secrets.note("password", SECRET);
  const found = (known: typeof secrets | undefined): number | undefined => known?.find(`it is ${SECRET}`).length;
  expect(withRecordingSecrets(secrets, () => found(other.currentRecordingSecrets()))).toBe(1);
  expect(other.withRecordingSecrets(secrets, () => found(currentRecordingSecrets()))).toBe(1);
  const result = {};
  rememberSecrets(result, secrets);
  expect([found(other.secretsOf(result)), found(secretsOf(result)), found(secretsOf({}))]).toStrictEqual([1, 1, 0]);
  expect(result).toStrictEqual({});
});
