import { encode } from "../../record/encode/encode.ts";
import { diff } from "../../kernel/diff/diff.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { STEP_PARSES } from "../../kernel/step/whole-run.ts";
import { firstArtifact, recordedCalls } from "../../record/read-snapshot.ts";
import type { Snapshot } from "../../record/snapshot.ts";
import { containsHashOnly } from "../../redact/placeholder.ts";
import { CHECK_RUN_ID, type RunToExplain } from "../check.ts";
import { storedOutcome } from "../compare/compare.ts";
import { type CapturedInput, capturedInput, mayLackCalls, parsedHash } from "../compare/parsed-input.ts";
import { parseInput } from "../run/run-case.ts";
import { type CurrentRun, currentRun } from "./local-evidence.ts";
import { type OfflineRun, replayWithStubs } from "./replay-with-stubs.ts";

/** An input as parsed at capture and as parsed now, and the result of the current code for each. */
export interface OfflineRuns {
  readonly parse: "same" | "other" | "refused" | "unknown";
  readonly entries: readonly DiffEntry[];
  /** The run on the input as parsed at capture; the other run if both are equal, or the first is unknown. */
  readonly onCapturedInput: OfflineRun | undefined;
  /** The run on the input as parsed now, with its options; undefined if the schema refuses the input. */
  readonly current: CurrentRun | undefined;
}

/** Returns the runs that separate the causes; undefined if the baseline lacks the output, the calls or the input. */
export async function explainableRuns(run: RunToExplain): Promise<OfflineRuns | undefined> {
  const hasOutput = "output" in storedOutcome(run.snapshot);
  return hasOutput && !containsHashOnly(run.snapshot.input) ? offlineRuns(run) : undefined;
}

async function offlineRuns({
  step,
  snapshot,
  validate = true,
  strictOutput,
}: RunToExplain): Promise<OfflineRuns | undefined> {
  const { workflowId, workflowVersion } = snapshot;
  const calls = recordedCalls(snapshot);
  const base = {
    step,
    calls,
    workflowId,
    workflowVersion,
    runId: CHECK_RUN_ID,
    validate,
    strictOutput,
    // A changed request gets the response of the nearest recorded one, so that the run goes on.
    usesNearestResponse: true,
  };
  const parse = async (): ReturnType<typeof parseInput> => parseInput(step, snapshot.input, { validate });
  const known = validate ? capturedInput(snapshot) : undefined;
  const parsed = await parse();
  const again = async (): Promise<unknown> => {
    const second = await parse();
    return second.ok ? second.value : undefined;
  };
  const options = { ...base, input: again };
  const current = parsed.ok ? await currentRun(options) : undefined;
  // Captured without its calls: its requests are unknown.
  if (mayLackCalls(snapshot) && current?.run.kind === "unrecorded") return undefined;
  const parseState = parsedInputState(parsed, known);
  if (parseState === "same" || parseState === "unknown") {
    const ofSteps = current && (await runOnStepParses(snapshot, current.options));
    if (ofSteps !== undefined) return { parse: "other", ...ofSteps, current };
    return { parse: parseState, entries: [], onCapturedInput: current?.run, current };
  }
  const value = known?.value;
  const onCapturedInput = value === undefined ? undefined : await replayWithStubs({ ...base, input: value });
  const entries = value === undefined || !parsed.ok ? [] : diff(encode(value()), encode(parsed.value)).entries;
  return { parse: parseState, entries, onCapturedInput, current };
}

function parsedInputState(
  parsed: Awaited<ReturnType<typeof parseInput>>,
  known: CapturedInput | undefined,
): OfflineRuns["parse"] {
  if (!parsed.ok) return "refused";
  const hash = parsedHash(parsed.value);
  if (known === undefined || hash === undefined) return "unknown";
  return hash === known.hash ? "same" : "other";
}

/**
 * Returns the run of a workflow whose steps get the values that their schemas parsed at capture; undefined if today's
 * schemas parse the same ones.
 */
async function runOnStepParses(
  snapshot: Snapshot,
  options: CurrentRun["options"],
): Promise<Pick<OfflineRuns, "entries" | "onCapturedInput"> | undefined> {
  const content = firstArtifact(snapshot, STEP_PARSES)?.content;
  const entries = new Map<string, DiffEntry>();
  let isRefused = false;
  const onParse = (at: readonly string[], before: unknown, now: unknown): void => {
    isRefused ||= now === undefined;
    if (now === undefined) return;
    for (const entry of diff(encode(before), encode(now)).entries)
      entries.set(stableStringify([at, entry.path]), { ...entry, path: [...at, ...entry.path] });
  };
  const step = content === undefined ? undefined : options.step.repeating?.({ parses: { content, onParse } });
  if (step === undefined) return undefined;
  const onCapturedInput = await replayWithStubs({ ...options, step });
  return entries.size === 0 && !isRefused ? undefined : { entries: [...entries.values()], onCapturedInput };
}
