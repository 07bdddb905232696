import type { UpdateMode } from "../kernel/write-policy.ts";
import type { Proposal } from "../baseline/baseline.ts";
import { kernelError } from "../kernel/step/fail.ts";
import type { ChangeShape } from "./change-shape.ts";
import type { Check } from "./check.ts";
import type * as keepable from "./keepable.ts";
import { type Verdict, type VerdictKind, lossyIn } from "./verdict.ts";
import type * as written from "./written-beside.ts";

/** What a run does with what its checks propose. */
export interface KeepMode {
  /** What is written at the run's end: every change, new cases only, or nothing. */
  readonly writes: UpdateMode;
  /** True where a change that is not written is held for somebody to review. */
  readonly holds: boolean;
}

/** A proposal that a run keeps, with what people were shown of it. */
export interface KeptProposal {
  readonly proposal: Proposal;
  /** `write`: the run's mode asks to write it. `review`: its check fails on it, and it waits for somebody to accept. */
  readonly intent: "write" | "review";
  /** The class of the verdict it answers. */
  readonly verdict: VerdictKind;
  /** The changes as the failure message words them, safe to print. */
  readonly shown: readonly string[];
  /** What kind of change it is, as the run's report groups it. */
  readonly shape?: ChangeShape;
  /** Where the answers came from that it was found on. */
  readonly source?: Check["source"];
}

/** Where kept proposals go. */
export interface Keeper {
  /** Takes a proposal to the run's end. */
  readonly stage: (kept: KeptProposal) => void;
  /** What the run writes already, by path; nothing where cases are checked once. */
  readonly staged?: ReadonlyMap<string, Proposal>;
  /** Loads what proves and words a proposal: most checks of most runs propose nothing. */
  readonly load: () => Promise<
    Pick<typeof keepable, "proposalToKeep"> &
      Pick<typeof written, "writtenBeside"> & {
        readonly shownCheck: (check: Check) => readonly string[];
        readonly shapeOfCheck: (check: Check) => ChangeShape;
      }
  >;
}

/** Decides what becomes of what a check proposes: the one place where that is decided. */
function intentOf({ propose, verdict }: Check, { writes, holds }: KeepMode): "write" | "hold" | "nothing" {
  if (propose === undefined) return "nothing";
  if (writes === "all" || (writes === "new" && verdict.kind === "missing")) return "write";
  return holds && verdict.kind !== "clean" ? "hold" : "nothing";
}

/** Tells whether a check lets its test pass: it is clean, or what it found is written. */
export function passes({ verdict, kept }: Check): boolean {
  return verdict.kind === "clean" || kept === "written";
}

function unstorable(lossy: string): Verdict {
  const message = `The result cannot be stored: ${lossy}. Put null, a text or a number in its place, or leave it out.`;
  return { kind: "failed", error: kernelError("not_storable", message) };
}

/**
 * Writes, holds, or leaves what a check proposes, and says so in the check. What cannot be kept fails it where it was
 * to be written, and is only told where it was to be held.
 */
export async function keep(check: Check, mode: KeepMode, keeper: Keeper): Promise<Check> {
  const lossy = lossyIn(check.verdict);
  if (lossy !== undefined && mode.writes === "all") return { ...check, verdict: unstorable(lossy) };
  const intent = intentOf(check, mode);
  const { propose } = check;
  if (intent === "nothing" || propose === undefined) return check;
  const earlier = keeper.staged?.get(check.path);
  // What a test wrote first is no file yet: a change of it cannot be accepted apart.
  if (intent === "hold" && earlier !== undefined) return check;
  const { proposalToKeep, shownCheck, shapeOfCheck, writtenBeside } = await keeper.load();
  const proved = await proposalToKeep({ ...check, propose });
  if (!proved.ok) {
    return intent === "hold"
      ? { ...check, kept: { refused: proved.error } }
      : { ...check, verdict: { kind: "failed", error: proved.error }, propose: undefined };
  }
  const { value } = proved;
  const { kind } = check.verdict;
  // One run must not accept two answers for one case: the second is compared with the first, even under -u.
  if (earlier !== undefined && earlier.after !== value.after && kind !== "clean")
    return { ...check, propose: undefined };
  const proposal = earlier === undefined ? value : { ...value, kind: earlier.kind, before: earlier.before };
  const beside = writtenBeside({ ...check, before: proposal.before, after: proposal.after });
  const told = beside.length === 0 ? check : { ...check, beside };
  const { source } = check;
  const shown = shownCheck(told);
  const shape = shapeOfCheck(told);
  keeper.stage({ proposal, intent: intent === "write" ? "write" : "review", verdict: kind, shown, shape, source });
  return { ...told, kept: intent === "write" ? "written" : "held" };
}
