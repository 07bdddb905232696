import { type Result, err, ok } from "../../kernel/result.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { type BaselineUpdate, type StepBaseline, snapshotOf } from "../../baseline/baseline.ts";
import { type AdapterCall, adapterName } from "../../record/adapter-call.ts";
import { comparedForm } from "../../record/encode/decode.ts";
import { storedForm } from "../../record/encode/encode.ts";
import { exactPattern } from "../../record/model-call.ts";
import { tracingAdvice } from "../tracing-service.ts";
import { isUnrecordedRequest } from "../../record/replay/unrecorded-request.ts";
import { diff } from "../../kernel/diff/diff.ts";
import { applyDiff } from "../../kernel/diff/apply-diff.ts";
import { formatEntry } from "../../kernel/diff/format-diff.ts";
import { formatPath } from "../../kernel/text.ts";
import type { DiffEntry, DiffResult } from "../../kernel/diff/entries.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import { type StepError, kernelError } from "../../kernel/step/fail.ts";
import { untraced } from "../../kernel/telemetry/spans.ts";
import { CHECK_RUN_ID, type CheckUpdate } from "../check.ts";
import { compareOutcomes, diffOf } from "../compare/compare.ts";
import { type ReplayPart, type ReplayVerdict, replayWithUncalled } from "../replay.ts";
import { NETWORK_REFUSED } from "../run/network-access.ts";
import { notStorable } from "../not-storable.ts";
import { hasUnrecordedTools } from "./unrecorded-tools.ts";
import { HASH_ONLY } from "../run/snapshot-integrity.ts";
import { watchUses } from "../run/watch-uses.ts";

const VARYING_FIX =
  "Read the value that varies (time, random number, id) from an adapter, so that veritest records it.";
const TOOLS_FIX = "Its tools aren't recorded, so they ran again. Wrap them with recordTools(tools).";

/** Returns what to do about a baseline that doesn't replay, with what its step reads past the adapters. */
async function fixFor(text: string, replay: () => Promise<unknown>): Promise<string> {
  if (hasUnrecordedTools(text)) return TOOLS_FIX;
  const { uses } = await watchUses(replay);
  return uses.length === 0
    ? VARYING_FIX
    : `The step reads ${uses.slice(0, MAX_USES).join(", ")} directly. Read it from an adapter, so that ` +
        "veritest records it.";
}

/** Returns the update of a check after verifying that it can be read back and replayed; its error if it can't. */
export async function verifyUpdate({ propose, verification }: CheckUpdate): Promise<Result<BaselineUpdate, StepError>> {
  try {
    let failure: Unreplayable | undefined;
    // The order of responses varies from run to run, and so do ids, so a baseline with them would change without a
    // reason. They are stored only if the step depends on them: if the baseline doesn't replay without them.
    for (const attempt of [propose, verification?.proposeInOrder, verification?.proposeWithOriginalIds]) {
      if (attempt === undefined) continue;
      const update = attempt();
      failure = await replayFailureOf(update, verification?.step);
      if (failure === undefined) return ok(update);
    }
    // The fix takes another run, so it's found for the last attempt only.
    const problem = [failure?.problem, ...(failure?.fix === undefined ? [] : [await failure.fix()])].join(". ");
    return err(kernelError("not_replayable", `The result isn't stored, because it isn't reproducible: ${problem}`));
  } catch (thrown) {
    return err(notStorable("result", thrown));
  }
}

async function replayFailureOf(
  { after }: BaselineUpdate,
  step: AnyStep | undefined,
): Promise<Unreplayable | undefined> {
  return step === undefined || after === undefined ? undefined : unreplayable(step, after);
}

/** Number of replays of a new baseline: a value with two outcomes (a random flag) may match by chance once. */
const REPLAYS = 2;
/** Maximum number of reads of the clock and random numbers that are listed. */
const MAX_USES = 3;
/** Maximum characters of an unstable value in a message, so that its last part, the fix, isn't cut off. */
const MAX_VALUE = 80;

/**
 * Replays a new baseline from its own recorded calls before it is staged. Returns one sentence on the difference, or
 * undefined. A baseline that doesn't replay now would fail the next run without any change. Differences that the step's
 * own rules tolerate are allowed.
 */
export async function replayProblem(step: AnyStep, text: string): Promise<string | undefined> {
  return (await unreplayable(step, text))?.problem;
}

/** The problem of a baseline that doesn't replay; `fix` returns what to do. */
interface Unreplayable {
  readonly problem: string;
  readonly fix?: () => Promise<string>;
}

async function unreplayable(step: AnyStep, text: string): Promise<Unreplayable | undefined> {
  const parsed = parseBaseline(text, "the new baseline");
  if (!parsed.ok) return { problem: parsed.error, fix: async () => VARYING_FIX };
  if (parsed.value.kind !== "step") return undefined;
  const snapshot = snapshotOf(parsed.value);
  // The run of the update has its span already; these only verify it.
  const replay = async (): ReturnType<typeof replayWithUncalled> =>
    untraced(async () => replayWithUncalled(snapshot, step, { runId: CHECK_RUN_ID }));
  const fix = async (): Promise<string> => fixFor(text, replay);
  for (let run = 0; run < REPLAYS; run += 1) {
    const replayed = await replay();
    // A part stored only as a hash can't be replayed, and the user chose that.
    if (!replayed.ok && replayed.error.code === HASH_ONLY) return undefined;
    if (!replayed.ok && replayed.error.code === NETWORK_REFUSED) return { problem: replayed.error.message };
    if (!replayed.ok) return { problem: `${SAME_AGAIN} ${endingOf(replayed.error, text)}${hiddenHint(text)}`, fix };
    const { verdict, uncalled } = replayed.value;
    // A second run in one process that skips a recorded call has kept its response from the first run.
    const [cached] = uncalled;
    if (cached !== undefined) return { problem: cachedMessage(cached) };
    const problem =
      verdict.kind === "different" ? unstable(verdict, { step, text, baseline: parsed.value }) : undefined;
    if (problem !== undefined) return { problem: `${SAME_AGAIN} it returned ${problem}${hiddenHint(text)}`, fix };
  }
  return undefined;
}

/** Explains a recorded call that a second run doesn't make: another test, or this one alone, would differ. */
function cachedMessage({ adapter, request }: AdapterCall): string {
  const name = exactPattern({ adapter, request }) ?? adapterName(adapter);
  const traced = tracingAdvice({ adapter, request });
  // The cache is inside the SDK of the service, so a test can't clear it.
  if (traced !== undefined) return `a second run of the step doesn't call ${name} again. ${traced}`;
  return (
    `a second run of the step doesn't call ${name} again, because its response is cached between runs. So ` +
    "the result depends on the tests that ran before. Clear the cache at the start of the step, or create it there. " +
    "Before each test (beforeEach) is too late: a capture runs the step three times"
  );
}

const SAME_AGAIN = "when veritest ran the step again with the recorded responses,";

/** Describes how a replay ended: by the first difference to the nearest recorded request, or by the error. */
function endingOf({ code, message, cause }: StepError, text: string): string {
  const request = isUnrecordedRequest(cause) ? cause : undefined;
  const [first] = request?.nearest === undefined ? [] : diff(request.nearest.request, request.request).entries;
  if (request === undefined || first === undefined) return `it failed with ${code}: ${message.replace(/\.$/, "")}`;
  const difference = differenceText({ ...first, path: ["request", ...first.path] }, text);
  return `it sent a different request to ${adapterName(request.adapter)}: ${difference}`;
}

type Different = Extract<ReplayVerdict, { kind: "different" }>;

/** A schema or a step may refuse the placeholder of a secret. */
function hiddenHint(text: string): string {
  return hidesSecrets(text)
    ? " (its secrets are hidden. If the step needs a secret, add its name or path to redact.keep)"
    : "";
}

/** Describes the differences beyond the step's rules; undefined if there are none. */
function unstable(
  { changedParts, diffs }: Different,
  { text, ...stored }: { readonly step: AnyStep; readonly text: string; readonly baseline: StepBaseline },
): string | undefined {
  const differences: [ReplayPart, readonly DiffEntry[] | undefined][] = changedParts.map((part) => [
    part,
    part === "output" || part === "events" ? untolerated(part, diffs[part], stored) : diffs[part]?.entries,
  ]);
  const remaining = differences.filter(([, entries]) => entries === undefined || entries.length > 0);
  if (remaining.length === 0) return undefined;
  const entries = remaining.flatMap(([part, own = []]) =>
    own.map((entry) => ({ ...entry, path: [part, ...entry.path] })),
  );
  const [first] = entries;
  if (first === undefined) return `another ${remaining.map(([part]) => part).join(" and ")}`;
  const rest =
    entries.length === 1 ? "" : ` (and ${entries.length - 1} more ${entries.length === 2 ? "path" : "paths"})`;
  return `${differenceText(first, text)}${rest}`;
}

/**
 * Describes a difference between a run and its replay. If the baseline hides a secret, only by its path: the step may
 * have cut the secret or put it into a word, and then no pattern finds it.
 */
function differenceText(entry: DiffEntry, text: string): string {
  return hidesSecrets(text) ? `another value at ${formatPath(entry.path)}` : formatEntry(entry, MAX_VALUE).trim();
}

function hidesSecrets(text: string): boolean {
  return text.includes("«redacted:");
}

/** Returns the differences of a part beyond its rules; compares by index if keys or a rule fail. */
function untolerated(
  part: "output" | "events",
  replayed: DiffResult | undefined,
  { step, baseline }: { readonly step: AnyStep; readonly baseline: StepBaseline },
): readonly DiffEntry[] | undefined {
  const { keyBy, compare } = step;
  if (replayed === undefined || Object.keys(compare).length === 0) return replayed?.entries;
  try {
    const after = { [part]: storedForm(applyDiff(comparedForm(baseline[part]), replayed)) };
    const comparison = compareOutcomes({ [part]: baseline[part] }, after, { parts: [part], keyBy, compare });
    return diffOf(comparison, part)?.entries;
  } catch (thrown) {
    return [{ path: [], before: undefined, after: messageOf(thrown) }];
  }
}
