import { inCheckSpan } from "../src/check/check-span.ts";
import { join } from "node:path";
import { putBaseline } from "./put-baseline.ts";
import { type Check, checkWithoutUpdate } from "../src/check/check.ts";
import type { UpdateMode } from "../src/kernel/write-policy.ts";
import { EXTRA_MATCHERS } from "../src/extra-matchers.ts";
import { createMatchers } from "../src/matchers/create-matchers.ts";
import type { StagedUpdate } from "../src/check/update/stage-update.ts";
import { otelApi } from "../src/kernel/telemetry/otel.ts";
import { StagedMap } from "./staged-map.ts";
import { temporaryProject } from "./temporary-project.ts";

function cleanCheck(path: string): Check {
  return checkWithoutUpdate({ file: path, path }, { kind: "clean" });
}

/**
 * One test that calls matchers, over and over: what tests of the matchers run them in instead of a runner's session.
 */
export class MatcherStage {
  mode: UpdateMode = "new";
  holds = true;
  isCi = false;
  /** Mode of the project where baselines may be written: most tests of matchers compare live. */
  projectMode: string | undefined = "live";
  root = "";
  staged: StagedMap = new StagedMap();
  changes: StagedUpdate[] = [];
  readonly #claims = new Map<string, string>();
  checks: Check[] = [];
  /** Live calls of runs without a baseline. */
  live: number[] = [];
  /** What was said beside each check. */
  notes: (readonly string[])[] = [];

  /** Adds the matchers to an `expect`. */
  constructor(expect: { extend(matchers: object): void }) {
    expect.extend(
      createMatchers(async (_context, _matcher, work) => {
        const { mode, root, staged, holds: keepsPending, isCi } = this;
        return work({
          mode,
          root,
          staged,
          keepsPending,
          isCi,
          projectMode: mode === "none" ? undefined : this.projectMode,
          testPath: join(root, "..", "a.test.ts"),
          testFile: "a.test.ts",
          testName: "the test",
          claimCase: (path, inputHash) => {
            const known = this.#claims.get(path) ?? inputHash;
            this.#claims.set(path, known);
            return known === inputHash;
          },
          isUsed: (path) => this.checks.some((check) => check.path === path),
          stage: (change) => this.#stage(change),
          traceCheck: async (name, check) => inCheckSpan(name, check),
          emptySteps: [],
          noteLive: ({ liveCalls = 0 }) => void this.live.push(liveCalls),
          note: (check, remarks) => this.#note(check, remarks),
          noteClean: otelApi() === undefined ? (path) => this.#note(cleanCheck(path), []) : undefined,
        });
      }, EXTRA_MATCHERS),
    );
  }

  /** Begins in an empty directory, given without links in its path. Default: a new one. */
  begin(directory: string = temporaryProject("stage")): void {
    this.root = join(directory, "__baselines__");
    this.#forget("new");
  }

  /** Ends a run that may write, and begins the next. */
  settle(next: UpdateMode): void {
    for (const { path, after } of this.staged.values()) putBaseline(path, after ?? "");
    this.#forget(next);
  }

  /** The text of the first baseline that the run would write. */
  stagedText(): string {
    const [update] = this.staged.values();
    return update?.after ?? "nothing was staged";
  }

  /** What a matcher says where it fails, without colours, and without what differs between runs. */
  async message(assertion: () => unknown): Promise<string> {
    try {
      await assertion();
    } catch (thrown) {
      if (thrown instanceof Error)
        return thrown.message
          .replaceAll(this.root, "ROOT")
          .replaceAll(/\u001b\[\d+m/g, "")
          .replaceAll(/-[0-9a-f]{8}\b/g, "-HASH")
          .replaceAll(/(\.test\.ts):\d+:\d+/g, "$1:LINE");
    }
    return "it passed";
  }

  #stage(change: StagedUpdate): void {
    this.changes.push(change);
    if (change.intent === "write") this.staged.set(change.update.path, change.update);
  }

  #note(check: Check, remarks: readonly string[]): void {
    this.checks.push(check);
    this.notes.push(remarks);
  }

  #forget(mode: UpdateMode): void {
    this.staged = new StagedMap();
    this.changes = [];
    this.checks = [];
    this.notes = [];
    this.live = [];
    this.mode = mode;
  }
}
