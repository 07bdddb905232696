import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchGroup, BenchOptions, Row } from "../bench-group.ts";
import { type Paired, pairedRuns } from "../paired-runs.ts";
import type { ChildRun } from "../run-child.ts";
import { type RunnerKind, type RunnerProject, createProject } from "../runner-project.ts";
import { extraOf, median, ratioOf } from "../timing.ts";

const ROUNDS = 5;
const MANY = 1000;
/** Tests of an ordinary test file. */
const FEW = 50;

/** What the tests of a file do with their value of 2 KB, and the set-up they need for it. */
const ASSERTIONS = {
  empty: { setup: "none", line: "made;" },
  veritest: { setup: "veritest", line: 'await expect(made).toMatchBaseline({ name: "case " + index });' },
  snapshot: { setup: "none", line: "expect(made).toMatchSnapshot();" },
  bare: { setup: "bare", line: 'expect(made).toMatchBare("case-" + index);' },
} as const;

type Assertion = keyof typeof ASSERTIONS;
type Variant = `${Assertion} ${number}`;

/** Runs whole test files. */
export const matcher: BenchGroup = {
  name: "matcher",
  question: "What does a passing test of a 2 KB value cost beyond an empty test?",
  run: async (options) => [
    ...(await measureRunner("vitest", MANY)),
    ...(await measureRunner("jest", MANY)),
    ...(await more(options)),
  ],
};

async function more({ full }: BenchOptions): Promise<readonly Row[]> {
  return full ? [...(await measureRunner("vitest", 5 * MANY)), ...(await measureRunner("jest", 5 * MANY))] : [];
}

async function measureRunner(kind: RunnerKind, count: number): Promise<readonly Row[]> {
  const names = Object.keys(ASSERTIONS).filter(isAssertion);
  const sizes = count === MANY ? [1, FEW, count] : [1, count];
  const files = names.flatMap((name) =>
    sizes.map((tests) => [`${name}-${tests}.test.js`, testFile(name, tests)] as const),
  );
  const project = createProject(kind, Object.fromEntries(files));
  try {
    await prepare(project, names, sizes);
    const row = await measureTests(project, { kind, count });
    return count === MANY ? [row, await measureFile(project, kind)] : [row];
  } finally {
    project.remove();
  }
}

function isAssertion(name: string): name is Assertion {
  return name in ASSERTIONS;
}

/** Stores what the tests compare with, and makes sure that each kind of test fails on another value. */
async function prepare({ run }: RunnerProject, names: readonly Assertion[], sizes: readonly number[]): Promise<void> {
  for (const name of names) {
    if (name === "empty") continue;
    for (const tests of sizes) {
      const { exitCode, output } = await run({ tests: `${name}-${tests}.test`, setup: ASSERTIONS[name].setup });
      if (exitCode !== 0) throw new Error(`matcher: ${name} did not pass:\n${output.slice(-2000)}`);
    }
    const { exitCode } = await run({ tests: `${name}-1.test`, setup: ASSERTIONS[name].setup, env: { CHANGED: "1" } });
    if (exitCode === 0) throw new Error(`matcher: ${name} passed on another value.`);
  }
}

/** What a test file of an ordinary size spends, with what its first check loads. */
async function measureFile(project: RunnerProject, kind: RunnerKind): Promise<Row> {
  const { of, factor } = await spentOf(project, [
    `empty ${FEW}`,
    `veritest ${FEW}`,
    `snapshot ${FEW}`,
    "empty 1",
    "veritest 1",
  ]);
  const ours = extraOf("toMatchBaseline", [of(`veritest ${FEW}`), of(`empty ${FEW}`)], 1);
  const snapshot = extraOf("toMatchSnapshot", [of(`snapshot ${FEW}`), of(`empty ${FEW}`)], 1);
  const first = extraOf("first check", [of("veritest 1"), of("empty 1")], 1);
  const metrics = [
    { name: "÷ toMatchSnapshot", value: ratioOf(ours, snapshot), unit: "×" },
    { name: "reference time of the first check", value: median(first.rounds) / factor, unit: "ms" },
  ];
  const notes = ["times are of the whole file, beyond one of empty tests"];
  return { name: `${kind}, ${FEW} tests and the first check`, timings: [ours, snapshot, first], metrics, notes };
}

/** What the process of a test file spends from its first test to its last, of each variant in turns. */
async function spentOf(
  { folder, run }: Pick<RunnerProject, "folder" | "run">,
  variants: readonly Variant[],
): Promise<Paired<Variant>> {
  const spent = join(folder, "spent.txt");
  const runs = new Map(
    variants.map((variant) => {
      const [name = "", tests = ""] = variant.split(" ");
      const setup = isAssertion(name) ? ASSERTIONS[name].setup : "none";
      const timed = async (): Promise<ChildRun> => ({
        ...(await run({ tests: `${name}-${tests}.test`, setup, env: { SPENT: spent } })),
        cpu: Number(readFileSync(spent, "utf8")),
      });
      return [variant, timed] as const;
    }),
  );
  return pairedRuns(runs, {
    rounds: ROUNDS,
    problemOf: (_, { exitCode }) => (exitCode === 0 ? undefined : `ended with ${exitCode}`),
  });
}

async function measureTests(
  { folder, run }: RunnerProject,
  { kind, count }: { readonly kind: RunnerKind; readonly count: number },
): Promise<Row> {
  const variants: readonly Variant[] = [
    `empty ${count}`,
    `veritest ${count}`,
    `snapshot ${count}`,
    `bare ${count}`,
    "empty 1",
    "veritest 1",
  ];
  const { of, factor } = await spentOf({ folder, run }, variants);
  // What the first check loads is in both of its sizes.
  const once = extraOf("once", [of("veritest 1"), of("empty 1")], 1);
  const whole = extraOf("whole", [of(`veritest ${count}`), of(`empty ${count}`)], 1);
  const ours = extraOf("toMatchBaseline", [whole, once], count - 1);
  const snapshot = extraOf("toMatchSnapshot", [of(`snapshot ${count}`), of(`empty ${count}`)], count);
  const bare = extraOf("bare read and compare", [of(`bare ${count}`), of(`empty ${count}`)], count);
  const metrics = [
    { name: "reference time", value: (median(ours.rounds) * 1000) / factor, unit: "µs" },
    { name: "÷ toMatchSnapshot", value: ratioOf(ours, snapshot), unit: "×" },
    { name: "÷ bare read and compare", value: ratioOf(ours, bare), unit: "×" },
  ];
  const notes = [
    `times are per test, beyond an empty test; the first check of a file costs ${median(once.rounds).toFixed(0)} ms more`,
  ];
  return { name: `${kind}, ${count.toLocaleString("en")} tests`, timings: [ours, snapshot, bare], metrics, notes };
}

/**
 * Notes what its process spends from the first test to the last: of whole runs the start is more than all tests
 * together.
 */
function testFile(assertion: Assertion, count: number): string {
  return `let before;
beforeAll(() => {
  before = process.cpuUsage();
});
afterAll(() => {
  const { user, system } = process.cpuUsage(before);
  if (process.env.SPENT) process.getBuiltinModule("node:fs").writeFileSync(process.env.SPENT, String((user + system) / 1000));
});
const claims = (index) => Array.from({ length: 8 }, (_, claim) => ({
  id: "claim-" + index + "-" + claim,
  text: "The invoice number " + index + " names a total that its lines do not add up to, by some cents, in line " + claim + ".",
  confidence: (claim + 1) / 10,
  sources: ["page " + claim, "page " + index],
  checked: claim % 2 === 0,
}));
const changed = process.env.CHANGED === undefined ? {} : { changed: true };
for (let index = 0; index < ${count}; index += 1) {
  test("case " + index, async () => {
    const made = { id: index, claims: claims(index), summary: "Result number " + index, ...changed };
    ${ASSERTIONS[assertion].line}
  });
}
`;
}
