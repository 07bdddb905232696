import { expect, test } from "vitest";
import { unwrap } from "../../../kernel/result.ts";
import { chunksOf } from "../../../../test-support/prose.ts";
import { indexMemo } from "./retrieve-phases.ts";

test("the same content is indexed once, other content under the same ids again", async () => {
  const indexChunks = indexMemo();
  const one = chunksOf("The bridge was opened in 1932.");
  const other = chunksOf("The ferry is slow.");
  expect(other.map(({ id }) => id)).toEqual(one.map(({ id }) => id));
  const first = unwrap(await indexChunks(one));
  expect(unwrap(await indexChunks(structuredClone(one)))).toBe(first);
  const second = unwrap(await indexChunks(other));
  expect(unwrap(await second.search("ferry")).hits.map(({ chunk }) => chunk.text)).toEqual(["The ferry is slow."]);
  expect(unwrap(await unwrap(await indexChunks(one)).search("ferry")).hits).toEqual([]);
});
