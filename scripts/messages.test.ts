import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MESSAGES, messagesText } from "./reference.ts";
import { listMessages } from "./source/list-messages.ts";

test("messages.txt has every message of the sources; otherwise run npm run reference", () => {
  expect(readFileSync(MESSAGES, "utf8")).toBe(messagesText());
});

const listed = (text: string): readonly string[] => listMessages({ path: "a.ts", text });

test.each<[string, string[]]>([
  ['warn("It didn\'t finish within " + limit + ".");', ["It didn't finish within {limit}."]],
  ["warn(`${quote(name)} isn't a file of ${project.root}.`);", ["{name} isn't a file of {root}."]],
  ['warn(`${n} ${n === 1 ? "run is" : "runs are"} not there.`);', ["{n} {run is|runs are} not there."]],
  ["warn(`one line of it\\n` + `${a}two more words`);", ["one line of it\\n{a}two more words"]],
  ['const keys = ["a", "some-key"]; import("./a b c.ts");', []],
  ['const months = "january february march april".split(" "); const names = words("mr mrs ms dr");', []],
  ['query("select a, b from runs where a = 1"); new RegExp("a b c d");', []],
])("finds the messages of %s", (text, messages) => {
  expect(listed(text)).toStrictEqual(messages);
});
