import { expect, test } from "vitest";
import { splitCommand } from "./command-line.ts";

test.each<[string, readonly string[]]>([
  ["npm test", ["npm", "test"]],
  ["  npm \t run  check ", ["npm", "run", "check"]],
  [`vitest -t "adds two" --reporter=dot`, ["vitest", "-t", "adds two", "--reporter=dot"]],
  [`node -e 'a | b && c > "d" $e'`, ["node", "-e", `a | b && c > "d" $e`]],
  [`echo "say \\"hi\\" \\\\ \\n"`, ["echo", `say "hi" \\ \\n`]],
  [`echo a\\ b ''  x"y"'z'`, ["echo", "a b", "", "xyz"]],
  ["écho ü@1:2", ["écho", "ü@1:2"]],
  ["sh -c 'npm test\nnpm run lint'", ["sh", "-c", "npm test\nnpm run lint"]],
])("splits %j", (line, words) => {
  expect(splitCommand(line)).toStrictEqual({ ok: true, value: words });
});

test.each<[string, string]>([
  [
    "npm test | tee log",
    `Cannot read the check "npm test | tee log": "|" is shell syntax, but veritest doesn't start a shell. Put it in single quotes, or use a shell: sh -c '…'.`,
  ],
  [
    "a && b",
    `Cannot read the check "a && b": "&" is shell syntax, but veritest doesn't start a shell. Put it in single quotes, or use a shell: sh -c '…'.`,
  ],
  [
    `echo "$HOME"`,
    `Cannot read the check "echo \\"$HOME\\"": "$" is shell syntax, but veritest doesn't start a shell. Put it in single quotes, or use a shell: sh -c '…'.`,
  ],
  [
    "ls src/*.ts",
    `Cannot read the check "ls src/*.ts": "*" is shell syntax, but veritest doesn't start a shell. Put it in single quotes, or use a shell: sh -c '…'.`,
  ],
  ["echo 'open", `Cannot read the check "echo 'open": the quote or backslash at character 6 has no end. Close it.`],
  ["echo \\", `Cannot read the check "echo \\\\": the quote or backslash at character 6 has no end. Close it.`],
  ["   ", `Cannot read the check "   ": it doesn't name a program. Add a program, such as "npm test".`],
  ["'' a", `Cannot read the check "'' a": it doesn't name a program. Add a program, such as "npm test".`],
])("refuses %j", (line, problem) => {
  expect(splitCommand(line)).toStrictEqual({ ok: false, error: problem });
});
