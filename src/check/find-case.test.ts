import { expect, test } from "vitest";
import { labelOfTitle } from "./find-case.ts";

test("a secret in a title becomes its kind in the file name, on every machine", () => {
  const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
  expect(labelOfTitle(`reads ${secret} twice`)).toBe("reads redacted-anthropic-key twice");
  expect(labelOfTitle("reads a letter")).toBe("reads a letter");
});
