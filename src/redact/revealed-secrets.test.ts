import { expect, test, vi } from "vitest";
import {
  RevealedSecrets,
  withRevealedSecrets,
  rememberSecrets,
  currentRevealedSecrets,
  secretsOf,
} from "./revealed-secrets.ts";

const SECRET = "k7Qz2mXw9LtR4vBn";

test("another copy of this module knows the secrets of a recording and of a result", async () => {
  vi.resetModules();
  const other = await import("./revealed-secrets.ts");
  expect(other.RevealedSecrets).not.toBe(RevealedSecrets);
  const secrets = new RevealedSecrets();
  secrets.note("password", SECRET);
  const found = (known: typeof secrets | undefined): number | undefined => known?.find(`it is ${SECRET}`).length;
  expect(withRevealedSecrets(secrets, () => found(other.currentRevealedSecrets()))).toBe(1);
  expect(other.withRevealedSecrets(secrets, () => found(currentRevealedSecrets()))).toBe(1);
  const result = {};
  rememberSecrets(result, secrets);
  expect([found(other.secretsOf(result)), found(secretsOf(result)), found(secretsOf({}))]).toStrictEqual([1, 1, 0]);
  expect(result).toStrictEqual({});
});
