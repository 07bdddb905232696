import { VERITEST } from "../../../kernel/telemetry/attributes.ts";
import { activeTraceparent } from "../../../kernel/telemetry/span-context.ts";
import { type Facts, SPAN_KIND, inSpan, isTracing, recordPastSpan } from "../../../kernel/telemetry/spans.ts";
import type { RunRef } from "../../../kernel/step/block.ts";
import type { CommandRow, Outbox, RunStore, StartRun, StepCommit } from "./contract.ts";

/** Stores whose writes are already traced, so that a runner doesn't trace them twice. */
const traced = new WeakSet<RunStore>();

/**
 * Wraps a store so that its starts, commits and leases are spans, and its command rows carry their trace. All of a
 * workflow is then one trace, across machines. Without a tracer it returns the store itself.
 */
export function tracedStore(store: RunStore): RunStore {
  if (traced.has(store)) return store;
  const made: RunStore = {
    start: async (start) => startIn(store, start),
    commit: async (commit) => commitIn(store, commit),
    load: async (workflowId, runId) => store.load(workflowId, runId),
    recordFailure: async (failure) => store.recordFailure(failure),
    setOverlay: async (change) => store.setOverlay(change),
    retry: async (decision) => store.retry(decision),
    cancel: async (decision) => store.cancel(decision),
    remove: async (run) => store.remove(run),
    entries: async (workflowId, runId) => store.entries(workflowId, runId),
    events: async (workflowId, runId) => store.events(workflowId, runId),
    commands: async (workflowId, runId) => store.commands(workflowId, runId),
    list: async (filter) => store.list(filter),
    blocks: store.blocks,
    outbox: {
      get: async (key) => store.outbox.get(key),
      lease: async (lease) => leaseIn(store, lease),
      markDispatched: async (mark) => store.outbox.markDispatched(mark),
      renew: async (lease) => store.outbox.renew(lease),
      countDeath: async (key) => store.outbox.countDeath(key),
      finish: async (key) => store.outbox.finish(key),
      markFailed: async (mark) => store.outbox.markFailed(mark),
      reclaim: async () => store.outbox.reclaim(),
    },
    close: async () => store.close(),
  };
  traced.add(made);
  return made;
}

async function startIn(store: RunStore, start: StartRun): ReturnType<RunStore["start"]> {
  const facts = { ...runFacts(start), [VERITEST.stepName]: start.step };
  const spec = { name: `veritest.start ${start.workflowId}`, kind: SPAN_KIND.producer, facts };
  return inSpan(spec, async (span) => {
    const started = await store.start(span === undefined ? start : { traceparent: activeTraceparent(), ...start });
    if (!started.ok) span?.fail(started.error.code);
    return started;
  });
}

async function commitIn(store: RunStore, commit: StepCommit): ReturnType<RunStore["commit"]> {
  const facts = { ...runFacts(commit), [VERITEST.stepName]: commit.stepName };
  return inSpan({ name: `veritest.commit ${commit.stepName}`, kind: SPAN_KIND.producer, facts }, async (span) => {
    const committed = await store.commit(span === undefined ? commit : { traceparent: activeTraceparent(), ...commit });
    if (committed.ok)
      span?.set({
        [VERITEST.runVersion]: committed.value.version,
        [VERITEST.commitDuplicate]: committed.value.duplicate,
      });
    else span?.fail(committed.error.code);
    return committed;
  });
}

/** Maximum number of traces that a lease links to; the SDKs keep 128. */
const MOST_LINKS = 100;

/** The real clock: `toBePure` replaces the clock that a step reads, and a fake time would misplace spans. */
const { now } = Date;

/** Leases rows, and reports a span only if some were taken: idle polling would fill a trace. */
async function leaseIn(store: RunStore, lease: Parameters<Outbox["lease"]>[0]): ReturnType<Outbox["lease"]> {
  if (!isTracing()) return store.outbox.lease(lease);
  const startedAt = now();
  const leased = await store.outbox.lease(lease);
  if (leased.ok && leased.value.length === 0) return leased;
  recordPastSpan({
    name: "veritest.lease",
    startedAt,
    facts: leased.ok ? { [VERITEST.leaseRows]: leased.value.length } : {},
    links: leased.ok ? tracesOf(leased.value) : [],
    failed: leased.ok ? undefined : { code: leased.error.code },
  });
  return leased;
}

function tracesOf(rows: readonly CommandRow[]): readonly string[] {
  return [...new Set(rows.flatMap(({ traceparent }) => traceparent ?? []))].slice(0, MOST_LINKS);
}

function runFacts({ workflowId, workflowVersion, runId }: RunRef & { readonly workflowVersion: string }): Facts {
  return {
    [VERITEST.workflowName]: workflowId,
    [VERITEST.workflowVersion]: workflowVersion,
    [VERITEST.runId]: runId,
  };
}
