import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { openLibrary } from "../../baseline/baseline-library.ts";
import { putBaseline } from "../../../test-support/put-baseline.ts";
import { defineStep } from "../../kernel/step/define-step.ts";
import { checkInputCase, replayStoredCase, checkStoredCase } from "../../../test-support/check-stored-case.ts";
import { verifyUpdate } from "../update/verify-update.ts";
import { temporaryProject } from "../../../test-support/temporary-project.ts";
import { serve } from "../../../test-support/serve.ts";

let answer = "then";

const { url, close } = await serve((_request, response) => response.end(answer));
const address = new URL(url).host;
afterAll(close);
afterEach(() => {
  answer = "then";
  vi.unstubAllEnvs();
});

/** A step with a client of its own, which takes an error of it for an answer. */
const read = defineStep({
  name: "read",
  input: z.object({}),
  output: z.object({ text: z.string() }),
  run: async () => {
    const text = await fetch(`http://${address}/`).then(
      (response) => response.text(),
      () => "nothing",
    );
    return { output: { text } };
  },
});

const library = openLibrary(join(temporaryProject("reached"), "__baselines__"));
const question = { input: {}, label: "case", mayCapture: true, adapters: {} };

const REFUSED =
  /^veritest blocked a connection to 127\.0\.0\.1:\d+ \(src\/check\/run\/network-access\.test\.ts:\d+:\d+\)\. A replay only allows recorded requests, and this one isn't recorded\. To record it, use veritest\(\{ fetch: true \}\) in Vitest, setupFiles: \["veritest\/fetch-setup"\] in Jest, or an adapter if the client doesn't use fetch\. To allow it, set network: \{ local: true \} in veritest\.config$/;

test("a capture reports what answered it, and kept; a changed answer is not blamed on the code", async () => {
  const captured = await checkInputCase(read, question, library);
  expect(captured.findings.networkAccess).toStrictEqual({
    locations: [expect.stringMatching(/^127\.0\.0\.1:\d+ \(src\/check\/run\/network-access\.test\.ts:\d+:\d+\)$/)],
    recordedCalls: 0,
  });
  const update = captured.update?.propose();
  putBaseline(captured.path, update?.after ?? "");
  const [stored] = library.all("read");
  if (stored === undefined) throw new Error("nothing is stored");
  expect(await checkStoredCase(read, stored, { root: library.root, mode: "replay" })).toMatchObject({
    verdict: { kind: "clean" },
  });
  answer = "now";
  for (const live of [{ mode: "replay" as const }, { adapters: {} }]) {
    const changed = await checkStoredCase(read, stored, { root: library.root, ...live });
    expect(changed.verdict).toMatchObject({ kind: "value_changed" });
    expect("cause" in changed.verdict).toBe(false);
    expect(changed.findings.networkAccess).toMatchObject({ recordedCalls: 0 });
  }
});

test("with a blocked network checks, replays and captures fail, and name the line", async () => {
  const [stored] = library.all("read");
  if (stored === undefined) throw new Error("nothing is stored");
  vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ network: { local: false } }));
  const failed = { kind: "failed", error: { code: "network_refused", message: expect.stringMatching(REFUSED) } };
  for (const check of [
    await checkStoredCase(read, stored, { root: library.root, mode: "replay" }),
    await replayStoredCase(read, stored),
  ])
    expect(check.verdict).toMatchObject(failed);
  const captured = await checkInputCase(read, { ...question, details: { name: "new" } }, library);
  const { update } = captured;
  if (update === undefined) throw new Error("nothing is proposed");
  const kept = await verifyUpdate(update);
  expect(kept).toMatchObject({
    ok: false,
    error: {
      code: "not_replayable",
      message: expect.stringMatching(
        /^The result isn't stored, because it isn't reproducible: veritest blocked a connection to 127.*network: \{ local: true \} in veritest\.config$/,
      ),
    },
  });
});
