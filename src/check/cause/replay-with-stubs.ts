import { redactedError } from "../verdict.ts";
import { jsonOf } from "../../kernel/json/canonical-json.ts";
import type { Result } from "../../kernel/result.ts";
import { type AdapterCall, isMethodCall } from "../../record/adapter-call.ts";
import { CallReplayer } from "../../record/replay/replay-adapters.ts";
import { storedForm } from "../../record/encode/encode.ts";
import { createContextFactory } from "../../kernel/step/context.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import type { StepError } from "../../kernel/step/fail.ts";
import { messageOf } from "../../kernel/error-message.ts";
import type { RequestChange } from "./cause.ts";
import type { Outcome } from "../compare/compare.ts";
import { type CaseRun, type SchemaViolation, runParsed } from "../run/run-case.ts";
import { type EndAtNewCall, type OfflineChange, type StubOptions, StubbedCalls, withoutCall } from "./stubbed-calls.ts";
import { undoEdit } from "./undo-edit.ts";
import { watchUses } from "../run/watch-uses.ts";
import { thrownViolations } from "./thrown-violations.ts";

/** Outcome of the current step if each adapter replays a list of calls. */
export type OfflineRun = OfflineEnd & {
  readonly changes: readonly OfflineChange[];
  /** The calls in order. */
  readonly made: readonly AdapterCall[];
  /** Uses of time, random numbers and ids by its last run. */
  readonly uses: readonly string[];
  /** A request that differs from one run to the next on the same responses. */
  readonly varying?: RequestChange;
};

/** End of an offline run. */
type OfflineEnd =
  | {
      readonly kind: "ran";
      readonly outcome: Outcome;
      /** Output as the step returned it, in its stored form. */
      readonly returned: unknown;
      /** Violations of the output's schema. */
      readonly violations: readonly SchemaViolation[];
    }
  /** The step failed although each request had a response. `violations`: of the schema that threw the error, if any. */
  | { readonly kind: "failed"; readonly message: string; readonly violations: readonly SchemaViolation[] }
  /** The step sent requests outside its adapters, so their effect is unknown. */
  | { readonly kind: "network_reached" }
  | EndAtNewCall;

/** Options of a run of the current step that reaches no adapter. */
export interface OfflineRunOptions extends StubOptions {
  readonly step: AnyStep;
  /** Creates the parsed input on each call: a run may change its input. */
  readonly input: () => unknown;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly runId: string;
  readonly validate?: boolean | undefined;
  readonly strictOutput?: boolean | undefined;
}

/**
 * Runs the current step on recorded responses only. A changed request gets the response of the nearest recorded call
 * that no other request uses. So the run shows the result of the code on the old responses, whatever it requests.
 *
 * A run ends at its first changed requests, and the next one starts with stubs for them. Within that run, later
 * requests with the same edit (`beforeEdits`) get their responses without a further run: one run for each took half a
 * second for 24 prompts of 20 kB.
 */
export async function replayWithStubs(options: OfflineRunOptions): Promise<OfflineRun> {
  const stubs = new StubbedCalls(options);
  for (;;) {
    const replayer = new CallReplayer(stubs.calls, undefined, {
      beforeEdits: (adapter, sent) =>
        stubs.edits.filter((edit) => edit.adapter === adapter).flatMap(({ entries }) => undoEdit(entries, sent)),
    });
    const input = await options.input();
    const { value: ran, uses } = await watchUses(() =>
      runParsed(options.step, input, {
        ...options,
        contextFactory: createContextFactory(replayer.adapters),
        runInScope: async (run) => replayer.untilUnrecorded(run),
      }),
    );
    const seen = { made: replayer.made(), uses };
    if (replayer.networkAccess().length > 0) return { kind: "network_reached", changes: stubs.changes, ...seen };
    stubs.addEdited(replayer);
    const [unrecorded] = replayer.unrecorded();
    // A failed run doesn't reach its later calls: only a successful one can drop any.
    if (unrecorded === undefined) {
      const dropped = ran.ok ? droppedCalls(replayer.uncalled()) : [];
      const end = stubs.endAtNewCall() ?? ended(ran);
      return { ...end, changes: [...stubs.changes, ...dropped], ...seen };
    }
    const followed = stubs.followUp(replayer);
    if (followed === "continue") continue;
    const end = stubs.endAtNewCall() ?? stubs.endAt(unrecorded);
    if (followed !== "stuck")
      return { ...end, changes: stubs.changes, ...seen, varying: withoutCall(followed.varying) };
    return { ...end, changes: [...stubs.changes, ...stubs.newCall(unrecorded)], ...seen };
  }
}

function ended(ran: Result<CaseRun, StepError>): Extract<OfflineEnd, { readonly kind: "ran" | "failed" }> {
  if (!ran.ok) {
    const { code, message, cause } = redactedError(ran.error);
    return { kind: "failed", message: `${code}: ${message}`, violations: thrownViolations(cause) };
  }
  const { output, commands = [], events, unnamed = {} } = ran.value.outcome;
  const { raw, parsed, violations } = ran.value.checkedOutput;
  try {
    const outcome = { output: jsonOf(output), commands, events, unnamed };
    return { kind: "ran", outcome, returned: parsed === undefined ? output : returnedForm(raw, output), violations };
  } catch (thrown) {
    return { kind: "failed", message: messageOf(thrown), violations: [] };
  }
}

/** Returns the stored form of an output as returned; the parsed form if only that can be stored. */
function returnedForm(raw: unknown, parsed: unknown): unknown {
  try {
    return storedForm(raw, ["output"]);
  } catch {
    return parsed;
  }
}

function droppedCalls(unused: readonly AdapterCall[]): OfflineChange[] {
  return unused.filter(isMethodCall).map((call) => ({ kind: "dropped", adapter: call.adapter, entries: [], call }));
}
