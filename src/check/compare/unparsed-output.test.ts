import { expect, test } from "vitest";
import { hashValueSync } from "../../kernel/json/hash.ts";
import { unparsedArtifact } from "./unparsed-output.ts";

const [KEY, OTHER_KEY] = ["AKIAIOSFODNN7EXAMPLQ", "AKIAJ2FODNN7EXAMPLEZ"];

test("the artifact is the hash of the output before the parse", () => {
  expect(unparsedArtifact({ raw: { total: "7" }, parsed: { total: 7 } })).toStrictEqual({
    hash: hashValueSync({ total: "7" }),
    kind: "unparsed-output",
  });
});

test("the hash doesn't depend on a secret", () => {
  const hashes = [KEY, OTHER_KEY].map((key) => unparsedArtifact({ raw: { key }, parsed: {} })?.hash);
  expect(hashes).toStrictEqual([expect.any(String), hashes[0]]);
});

test("an output that can't be stored, or that no schema accepted, has no artifact", () => {
  expect(unparsedArtifact({ raw: { total: 7, log: () => undefined }, parsed: { total: 7 } })).toBeUndefined();
  expect(unparsedArtifact({ raw: { total: 7 } })).toBeUndefined();
});
