import { appliedOutcomes } from "../../src/reporter/outcomes.ts";
import { renderSummary } from "../../src/reporter/runner-summary.ts";
import type { PendingChange } from "../../src/updates/pending/pending-change.ts";
import { writePending } from "../../src/updates/pending/pending-store.ts";
import { beginRun } from "../../src/updates/test-run.ts";
import { type Acceptance, acceptPending } from "../../src/updates/pending/accept-pending.ts";
import { type RunUpdateResult, applyRun } from "../../src/updates/apply-run.ts";
import type { Row } from "../row.ts";
import { adoption } from "../world/adoption.ts";
import { freshWorld } from "../world/attempt-commit.ts";
import { outcomeOf } from "../world/examine.ts";
import { discard } from "../world/scratch.ts";
import { changesOf, endedRun, stageAll, settlerOf } from "../world/staged-run.ts";
import type { Tally } from "../world/tally.ts";
import { type Fault, NO_FAULT, underFault, underFaultAsync } from "../world/under-fault.ts";
import type { World } from "../world/world.ts";

/** What was done to a world under a fault. */
interface Done {
  readonly fired: boolean;
  readonly calls: readonly string[];
  /** What had been captured before the fault. */
  readonly captured: readonly PendingChange[];
  /** How the program says the baselines are; undefined where it was killed, or says nothing of them. */
  readonly said: Said | undefined;
}

/** `incomplete`: neither is sure, and it says what to do. What else is untrue of its words stands for itself. */
type Said = "old" | "new" | "incomplete" | `untrue: ${string}`;

type Deed = (context: World, fault: Fault) => Promise<Done>;

const SMALL: readonly Pick<Fault, "action" | "code" | "sticky">[] = [
  { action: "kill before", code: "", sticky: false },
  { action: "tear", code: "", sticky: false },
  { action: "fail", code: "ENOSPC", sticky: true },
  { action: "fail", code: "EIO", sticky: false },
  { action: "fail", code: "EROFS", sticky: true },
];

const FULL: readonly Pick<Fault, "action" | "code" | "sticky">[] = [
  ...SMALL,
  { action: "kill after", code: "", sticky: false },
  { action: "fail", code: "ENOSPC", sticky: false },
  { action: "fail", code: "EIO", sticky: true },
  { action: "fail after", code: "EIO", sticky: false },
  { action: "fail", code: "EACCES", sticky: false },
];

/** Tests stage their changes and die at any call: what they had told the run is not lost. */
export const faultWhileStaging: Row = {
  name: "fault while staging",
  run: (tally, { full }) =>
    everyFault(tally, { full }, async (context, fault) => {
      const run = beginRun(context.places);
      const captured: PendingChange[] = [];
      const { fired, calls } = underFault(context, fault, () =>
        stageAll(context, run, (change) => void captured.push(change)),
      );
      return Promise.resolve({ fired, calls, captured, said: undefined });
    }),
};

/** A run settles by a commit, and meets a fault at any call. */
export const faultWhileCommitting: Row = {
  name: "fault while a run commits",
  run: (tally, { full }) => everyFault(tally, { full }, settling([])),
};

/** A run holds everything for review, and meets a fault at any call. */
export const faultWhileHolding: Row = {
  name: "fault while a run holds",
  run: (tally, { full }) => everyFault(tally, { full }, settling(["The run was interrupted."])),
};

/** Somebody accepts what was held, and meets a fault at any call. */
export const faultWhileAccepting: Row = {
  name: "fault while accepting",
  run: (tally, { full }) =>
    everyFault(tally, { full }, async (world, fault) => {
      const captured = changesOf(world, "run");
      writePending(world.places, captured);
      const context = settlerOf(world.places, "person");
      const { fired, calls, result, threw } = await underFaultAsync(world, fault, async () =>
        acceptPending(captured, context),
      );
      return { fired, calls, captured, said: threw === undefined ? saidByAcceptance(result) : untrue(threw) };
    }),
};

function settling(problems: readonly string[]): Deed {
  return async (context, fault) => {
    const ended = endedRun(context, problems);
    const { fired, calls, result, threw } = await underFaultAsync(context, fault, async () => applyRun(ended));
    const captured = changesOf(context, ended.run.id);
    return { fired, calls, captured, said: threw === undefined ? saidBySummary(context, result) : untrue(threw) };
  };
}

/** Whoever ends by an error says nothing of the baselines, and swallows what there was to say. */
function untrue(what: string): Said {
  return `untrue: ${what}`;
}

function saidByAcceptance(acceptance: Acceptance | undefined): Said | undefined {
  if (acceptance === undefined) return undefined;
  const { outcome, accepted, problems } = acceptance;
  switch (outcome) {
    case "accepted":
      return accepted.length === 4 ? "new" : untrue(`accepted ${accepted.length} of 4`);
    case "refused":
      return problems.length > 0 ? "old" : untrue("refused without a reason");
    case "blocked":
    case "incomplete":
      return saidIncomplete(problems);
  }
}

/** What a user reads at the end of the run, and its exit code. */
function saidBySummary(context: World, updateResult: RunUpdateResult | undefined): Said | undefined {
  if (updateResult === undefined) return undefined;
  const outcomes = context.proposals.map(({ path, kind }) => ({
    path,
    outcome: kind === "add" ? "captured" : "updated",
  }));
  const lines = renderSummary({
    outcomes: appliedOutcomes(outcomes, updateResult),
    obsolete: [],
    removed: false,
    updateResult,
    dropped: [],
    remarks: [],
    problems: updateResult.notices,
  });
  const [head = ""] = lines;
  if (updateResult.failed === (head.includes("captured") || head.includes("updated")))
    return untrue(`exit code ${updateResult.failed ? 1 : 0} beside "${head}"`);
  if (!updateResult.failed) return "new";
  if (head.includes("4 incomplete")) return saidIncomplete(lines);
  return head.includes("4 pending") && lines.some((line) => line.includes("pending: "))
    ? "old"
    : untrue(lines.join("\n"));
}

function saidIncomplete(lines: readonly string[]): Said {
  const advised = lines.some((line) => line.includes("npx veritest doctor"));
  return advised ? "incomplete" : untrue(`no advice: ${lines.join("\n")}`);
}

async function everyFault(tally: Tally, { full }: { readonly full: boolean }, deed: Deed): Promise<void> {
  const names = await callsOf(deed);
  for (const fault of full ? FULL : SMALL) {
    for (const [index, name] of names.entries()) {
      if (fault.action === "tear" && !name.startsWith("write")) continue;
      const context = freshWorld();
      const { fired, captured, said } = await deed(context, { ...NO_FAULT, ...fault, at: index + 1 });
      const found = outcomeOf(context);
      const trial = adoption(`${fault.action} ${fault.code} at ${index + 1} (${name})`, context, captured);
      const agrees = said === undefined || said === "incomplete" || said === found;
      const wrong = agrees ? trial.wrong : [...trial.wrong, `${said}; the baselines are ${found}`];
      if (fired) tally.add({ ...trial, wrong });
      discard(context.project);
    }
  }
}

async function callsOf(deed: Deed): Promise<readonly string[]> {
  const context = freshWorld();
  const { calls } = await deed(context, NO_FAULT);
  discard(context.project);
  return calls;
}
