import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HOSTILE_TEXTS } from "../../../test-support/hostile-texts.ts";
import { makeProject, veritest } from "../../../test-support/pending-project.ts";
import { callOf, putStep } from "../../../test-support/put-step.ts";

// What a terminal would obey, and what would hide text from who reads.
const OBEYED =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\p{Surrogate}/u;

test.each(Object.entries(HOSTILE_TEXTS).filter(([, text]) => text.length < 100_000))(
  "escapes everything in a baseline of %s",
  { tags: "deep" },
  async (_what, text) => {
    const project = makeProject();
    const target = putStep(project.root, {
      step: text.trim() === "" ? "blank" : text,
      name: text,
      labels: [text],
      meta: { fact: text },
      input: { [text]: text },
      output: { [text]: [text] },
      events: [{ type: text }],
      commands: [{ type: "emit", topic: text, payload: { [text]: text } }],
      calls: [callOf(text, text)],
    });
    mkdirSync(join(project.root, "__baselines__", "odd\u202e\u001b[2J"), { recursive: true });
    writeFileSync(
      join(project.root, "__baselines__", "odd\u202e\u001b[2J", "\u001b]0;x\u0007.json"),
      `{"version": 1, "kind": ${JSON.stringify(text)}}`,
    );
    for (const argv of [
      ["list"],
      ["list", "--json"],
      ["show", target],
      ["show", target, "--full"],
      ["show", target, "--json"],
      ["show", text],
      ["check"],
      ["check", "--json"],
      ["prune"],
      ["check", text],
      ["list", "--meta", text],
    ]) {
      const { out, err } = await veritest(project, argv);
      expect({ argv, out: OBEYED.exec(out)?.[0], err: OBEYED.exec(err)?.[0] }).toStrictEqual({
        argv,
        out: undefined,
        err: undefined,
      });
    }
  },
);
