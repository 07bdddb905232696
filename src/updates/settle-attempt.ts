import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Result } from "../kernel/result.ts";
import { type Settler, openSettler } from "./settler.ts";
import { CONFIG_FILES, placesOf, projectRoot } from "../kernel/files/places.ts";
import { versions } from "./receipts/receipt.ts";
import { escapeText } from "../kernel/text.ts";
import { diskMessageOf, messageOf } from "../kernel/thrown.ts";
import { ciRefusal } from "../kernel/write-policy.ts";
import type { KeptProposal } from "../check/keep.ts";
import { fileProblem } from "./gates/ask-gates.ts";
import { DEFAULT_POLICY, type Policy } from "./policy.ts";
import { type Commitment, commitProposals } from "./commit/commit-proposals.ts";
import { type PendingChange, pendingChange } from "./pending/pending-change.ts";
import { keepPending } from "./pending/pending.ts";
import { announcedRun, beginRun } from "./run-identity.ts";
import { failChanges, stageChanges } from "./pending/stage.ts";

/** One attempt of one test that ended, with every change it asks for. */
export interface EndedAttempt {
  readonly changes: readonly KeptProposal[];
  /** Absolute path of the test file. */
  readonly testPath: string;
  readonly test: string;
  readonly passed: boolean;
  /** The keys of the changes that earlier attempts of the same test staged. */
  readonly earlier: ReadonlySet<string>;
}

/** What became of an attempt's changes. */
export interface SettledAttempt {
  /** The keys that wait for the end of the run. */
  readonly staged: readonly string[];
  /** One sentence on why a change of a passing test is neither written nor staged. */
  readonly problem: string | undefined;
}

/**
 * Ends an attempt: hands its changes to the run that was announced to this worker. Without one (no plugin, no preset)
 * nobody settles the run, so the test's own outcome decides, and what it asks for is written at once by the same
 * commit.
 */
export function settleAttempt(attempt: EndedAttempt, environment: NodeJS.ProcessEnv): SettledAttempt {
  try {
    const run = announcedRun(environment);
    if (run === undefined) return settleAlone(attempt, environment);
    const changes = recordsOf(attempt, { root: run.places.root, run: run.id });
    stageChanges(run, changes, attempt.earlier);
    return { staged: changes.map(({ key }) => key), problem: undefined };
  } catch (thrown) {
    return { staged: [], problem: `The baselines of this test could not be written: ${diskMessageOf(thrown)}` };
  }
}

/**
 * Marks staged changes, by their keys, as a failed test's. Does nothing where no run was announced: they are settled.
 */
export function failStaged(keys: ReadonlySet<string>, environment: NodeJS.ProcessEnv): void {
  const run = announcedRun(environment);
  if (run !== undefined) failChanges(run, keys);
}

function settleAlone(attempt: EndedAttempt, environment: NodeJS.ProcessEnv): SettledAttempt {
  const places = placesOf(projectRoot(dirname(attempt.testPath)), environment);
  const run = beginRun(places).id;
  const records = recordsOf(attempt, { root: places.root, run });
  const writes = attempt.passed ? records.filter(({ intent }) => intent === "write") : [];
  const settler = openSettler(places, ALONE, { environment, isTTY: process.stdout.isTTY });
  const refusal = writes.length === 0 ? undefined : refusalAlone(writes, settler);
  const written = new Set(refusal === undefined ? writes : []);
  keepPending(
    places,
    records.filter((record) => !written.has(record)),
  );
  if (refusal !== undefined)
    return {
      staged: [],
      problem: `${refusal} Nothing was written; what came out waits for review: npx veritest review`,
    };
  if (writes.length === 0 || !settler.ok) return { staged: [], problem: undefined };
  tellOnce();
  const commitment = commitAlone(attempt, settler.value, run);
  switch (commitment.kind) {
    case "committed":
      // What is written is written, and the next process does what is left to do.
      if (commitment.problem !== undefined) process.stderr.write(`veritest: ${escapeText(commitment.problem)}\n`);
      return { staged: [], problem: undefined };
    case "refused":
    case "blocked":
    case "unsettled":
      return { staged: [], problem: keptFor(commitment.problem, () => keepPending(places, writes)) };
  }
}

/** Whatever stood in the way, what came out must not be lost; and where it is, that must not hide why. */
function keptFor(problem: string, keepAll: () => void): string {
  try {
    keepAll();
    return problem;
  } catch (thrown) {
    return `${problem} And what came out could not be kept for review: ${messageOf(thrown)}`;
  }
}

function commitAlone({ changes, test }: EndedAttempt, settler: Settler, run: string): Commitment {
  const { places, actor, policy, now } = settler;
  const proposals = changes.filter(({ intent }) => intent === "write").map(({ proposal }) => proposal);
  const occasion = settler.hide({
    kind: "commit" as const,
    at: now.toISOString(),
    run,
    actor,
    scope: policy.scope,
    gates: [{ name: "test", ok: true, detail: test, ms: 0 }],
    versions: versions(),
  });
  return commitProposals(proposals, { places, occasion });
}

/** Why a lone test must not write: what a policy or CI would say at the end of a run, nobody here can ask. */
function refusalAlone(writes: readonly PendingChange[], settler: Result<Settler, string>): string | undefined {
  if (!settler.ok) return settler.error;
  const { actor, places } = settler.value;
  const refusal = ciRefusal(actor);
  if (refusal !== undefined) return refusal;
  const config = CONFIG_FILES.find((name) => existsSync(join(places.root, name)));
  if (config !== undefined)
    return `${config} may hold a policy, and without the plugin or the preset nobody applies it.`;
  return fileProblem(writes, settler.value);
}

function recordsOf(
  { changes, testPath, test, passed }: EndedAttempt,
  { root, run }: { readonly root: string; readonly run: string },
): PendingChange[] {
  const at = new Date().toISOString();
  return changes.map((change) => pendingChange(change, { projectRoot: root, testPath, test, passed, run, at }));
}

/** A project without a configuration, of which one test is all that is known. */
const ALONE: Policy = { ...DEFAULT_POLICY, scope: "test" };

let told = false;

/** Once per worker: somebody who relies on a run's outcome must know that it does not decide here. */
function tellOnce(): void {
  if (told) return;
  told = true;
  process.stderr.write(
    "veritest: without its plugin (Vitest) or preset (Jest) nobody sees how the run ends, " +
      "so baselines are written test by test.\n",
  );
}
