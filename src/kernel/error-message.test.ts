import { expect, test } from "vitest";
import { fileErrorMessage } from "./error-message.ts";

test.each(["EACCES", "EPERM"])("%s suggests another owner of the files, and what to do", (code) => {
  const thrown = Object.assign(new Error(`${code}: not permitted, mkdir '/p/.veritest/stage'`), { code });
  expect(fileErrorMessage(thrown)).toBe(
    `${code}: not permitted, mkdir '/p/.veritest/stage'. It might belong to another user, for example after a run as root. ` +
      "Change its owner (chown -R), or set VERITEST_STATE_DIR and VERITEST_NOTES_DIR to directories of your own",
  );
});

test("keeps the message of another error", () => {
  expect(fileErrorMessage(Object.assign(new Error("ENOSPC: full"), { code: "ENOSPC" }))).toBe(
    "ENOSPC: full. The disk is full. Free some space (df -h shows what is left), and run the same command again",
  );
});
