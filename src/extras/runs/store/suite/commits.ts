import assert from "node:assert/strict";
import { emit, fanout, invoke, review, suspend, commandKey } from "../../../../kernel/step/command.ts";
import { type ContractCase, commitOf, contractCase, errorOf, rowsOf, statusesOf, valueOf } from "./case.ts";

/** Versions, conflicts, idempotence, and atomic commits. */
export const COMMITS: readonly ContractCase[] = [
  contractCase("a run that is not there loads as undefined", async ({ store }) => {
    assert.equal(valueOf(await store.load("claims", "run-1")), undefined);
  }),
  contractCase("the first commit makes the run, at version 1", async ({ store, now }) => {
    assert.deepEqual(valueOf(await store.commit(commitOf())), { version: 1, duplicate: false });
    assert.deepEqual(valueOf(await store.load("claims", "run-1")), {
      workflowId: "claims",
      workflowVersion: "1.0.0",
      runId: "run-1",
      version: 1,
      status: "completed",
      createdAt: now(),
      updatedAt: now(),
      computed: { risk: "low" },
      overlay: {},
    });
  }),
  contractCase("each commit adds one version", async ({ store }) => {
    for (const version of [1, 2, 3, 4, 5]) {
      const commit = commitOf({ stepId: `step-${version}`, expectedVersion: version - 1 });
      assert.equal(valueOf(await store.commit(commit)).version, version);
    }
    const entries = valueOf(await store.entries("claims", "run-1"));
    assert.deepEqual(
      entries.map(({ version }) => version),
      [1, 2, 3, 4, 5],
    );
  }),
  contractCase("a conflict names both versions", async ({ store }) => {
    valueOf(await store.commit(commitOf()));
    const error = errorOf(await store.commit(commitOf({ stepId: "b" })), "version_conflict");
    assert.deepEqual([error.expected, error.actual, error.retryable], [0, 1, true]);
    assert.equal(
      error.message,
      'Run "run-1" is at version 1, not 0, because another process wrote first. Load the run again.',
    );
  }),
  contractCase("a commit for a version to come is refused", async ({ store }) => {
    valueOf(await store.commit(commitOf()));
    const error = errorOf(await store.commit(commitOf({ stepId: "b", expectedVersion: 2 })), "version_conflict");
    assert.deepEqual([error.expected, error.actual], [2, 1]);
  }),
  contractCase("a commit above 0 for no run is refused", async ({ store }) => {
    errorOf(await store.commit(commitOf({ expectedVersion: 3 })), "run_not_found");
    assert.equal(valueOf(await store.load("claims", "run-1")), undefined);
  }),
  contractCase("a conflict writes nothing, the outbox included", async ({ store }) => {
    valueOf(await store.commit(commitOf()));
    const outdated = commitOf({
      stepId: "b",
      output: { risk: "high" },
      commands: [invoke("verify", 1), review("look")],
    });
    errorOf(await store.commit(outdated), "version_conflict");
    assert.deepEqual(await rowsOf(store), []);
    assert.deepEqual(valueOf(await store.blocks.list()), []);
    assert.equal(valueOf(await store.entries("claims", "run-1")).length, 1);
    assert.deepEqual(valueOf(await store.load("claims", "run-1"))?.computed, { risk: "low" });
  }),
  contractCase("of concurrent commits for one version one is written", async ({ store }) => {
    const commits = [1, 2, 3, 4, 5, 6, 7, 8].map((step) => commitOf({ stepId: `s${step}`, output: { step } }));
    const results = await Promise.all(commits.map((commit) => store.commit(commit)));
    assert.equal(results.filter(({ ok }) => ok).length, 1);
    for (const result of results.filter(({ ok }) => !ok)) errorOf(result, "version_conflict");
    assert.equal(valueOf(await store.load("claims", "run-1"))?.version, 1);
  }),
  contractCase("outputs are merged field by field, the last one wins", async ({ store }) => {
    valueOf(await store.commit(commitOf({ output: { risk: "low", claims: [1], deep: { a: 1 } } })));
    valueOf(
      await store.commit(commitOf({ stepId: "b", expectedVersion: 1, output: { risk: "high", deep: { b: 2 } } })),
    );
    assert.deepEqual(valueOf(await store.load("claims", "run-1"))?.computed, {
      risk: "high",
      claims: [1],
      deep: { b: 2 },
    });
  }),
  contractCase("an undefined field of an output changes nothing", async ({ store }) => {
    valueOf(await store.commit(commitOf()));
    valueOf(await store.commit(commitOf({ stepId: "b", expectedVersion: 1, output: { risk: undefined, note: null } })));
    assert.deepEqual(valueOf(await store.load("claims", "run-1"))?.computed, { risk: "low", note: null });
  }),
  contractCase("the same step id commits once, whatever the second commit writes", async ({ store }) => {
    valueOf(await store.commit(commitOf({ commands: [invoke("verify", 1)] })));
    const again = await store.commit(commitOf({ output: { risk: "other" }, commands: [invoke("verify", 2)] }));
    assert.deepEqual(valueOf(again), { version: 1, duplicate: true });
    assert.deepEqual(valueOf(await store.load("claims", "run-1"))?.computed, { risk: "low" });
    assert.equal((await rowsOf(store)).length, 1);
  }),
  contractCase("a duplicate is reported whatever version it expects, also after later commits", async ({ store }) => {
    valueOf(await store.commit(commitOf()));
    valueOf(await store.commit(commitOf({ stepId: "b", expectedVersion: 1 })));
    for (const expectedVersion of [0, 1, 2, 9])
      assert.deepEqual(valueOf(await store.commit(commitOf({ expectedVersion }))), { version: 1, duplicate: true });
  }),
  contractCase("duplicates at once are written once", async ({ store }) => {
    const results = await Promise.all([1, 2, 3, 4, 5].map(() => store.commit(commitOf({ commands: [emit("t", 1)] }))));
    const written = results.filter((result) => result.ok && !result.value.duplicate);
    assert.equal(written.length, 1);
    assert.equal((await rowsOf(store)).length, 1);
    assert.equal(valueOf(await store.load("claims", "run-1"))?.version, 1);
  }),
  contractCase("one step id in two runs is two commits", async ({ store }) => {
    valueOf(await store.commit(commitOf({ commands: [emit("t", 1)] })));
    const other = valueOf(await store.commit(commitOf({ runId: "run-2", commands: [emit("t", 1)] })));
    assert.equal(other.duplicate, false);
  }),
  contractCase("one run id in two workflows is two runs", async ({ store }) => {
    valueOf(await store.commit(commitOf()));
    valueOf(await store.commit(commitOf({ workflowId: "invoices", output: { total: 1 } })));
    assert.deepEqual(valueOf(await store.load("claims", "run-1"))?.computed, { risk: "low" });
    assert.deepEqual(valueOf(await store.load("invoices", "run-1"))?.computed, { total: 1 });
  }),
  contractCase("a commit carries its workflow's version to the run", async ({ store }) => {
    valueOf(await store.commit(commitOf()));
    valueOf(await store.commit(commitOf({ stepId: "b", expectedVersion: 1, workflowVersion: "2.0.0" })));
    assert.equal(valueOf(await store.load("claims", "run-1"))?.workflowVersion, "2.0.0");
    const entries = valueOf(await store.entries("claims", "run-1"));
    assert.deepEqual(
      entries.map(({ workflowVersion }) => workflowVersion),
      ["1.0.0", "2.0.0"],
    );
  }),
  contractCase("an entry keeps all that a step left", async ({ store, now }) => {
    const artifacts = [{ kind: "llm-output", hash: `sha256:${"0".repeat(64)}`, content: { text: "ok" } }];
    const commands = [invoke("verify", { id: 1 })];
    valueOf(await store.commit(commitOf({ artifacts, commands })));
    assert.deepEqual(valueOf(await store.entries("claims", "run-1")), [
      {
        version: 1,
        kind: "step",
        stepId: "extract",
        stepName: "extract",
        workflowVersion: "1.0.0",
        at: now(),
        input: { text: "water damage" },
        output: { risk: "low" },
        events: [{ type: "extracted", payload: { claims: 2 } }],
        commands,
        artifacts,
      },
    ]);
  }),
  contractCase("events come in order, each with its version and step", async ({ store }) => {
    valueOf(await store.commit(commitOf({ events: [{ type: "a" }, { type: "b" }] })));
    valueOf(await store.commit(commitOf({ stepId: "s2", expectedVersion: 1, events: [{ type: "c" }] })));
    assert.deepEqual(valueOf(await store.events("claims", "run-1")), [
      { type: "a", version: 1, stepId: "extract" },
      { type: "b", version: 1, stepId: "extract" },
      { type: "c", version: 2, stepId: "s2" },
    ]);
  }),
  contractCase("a run that is not there has no entries, events or commands", async ({ store }) => {
    assert.deepEqual(valueOf(await store.entries("claims", "none")), []);
    assert.deepEqual(valueOf(await store.events("claims", "none")), []);
    assert.deepEqual(valueOf(await store.commands("claims", "none")), []);
  }),
  contractCase("start makes the run and its first job", async ({ store, now }) => {
    const start = { workflowId: "claims", workflowVersion: "1.0.0", runId: "run-1", step: "extract", input: { a: 1 } };
    assert.deepEqual(valueOf(await store.start(start)), { version: 1, started: true });
    const command = invoke("extract", { a: 1 });
    assert.deepEqual(await rowsOf(store), [
      {
        key: commandKey({ workflowId: "claims", runId: "run-1", stepName: "start", command }),
        workflowId: "claims",
        workflowVersion: "1.0.0",
        runId: "run-1",
        stepId: "start",
        kind: "invoke",
        target: "extract",
        payload: { a: 1 },
        status: "pending",
        finished: false,
        attempts: 0,
        availableAt: now(),
      },
    ]);
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "running");
  }),
  contractCase("a second start leaves the run as it is", async ({ store }) => {
    const start = { workflowId: "claims", workflowVersion: "1.0.0", runId: "run-1", step: "extract", input: 1 };
    valueOf(await store.start(start));
    assert.deepEqual(valueOf(await store.start({ ...start, input: 2 })), { version: 1, started: false });
    assert.deepEqual(
      (await rowsOf(store)).map(({ payload }) => payload),
      [1],
    );
  }),
  contractCase("of concurrent starts one succeeds", async ({ store }) => {
    const start = { workflowId: "claims", workflowVersion: "1.0.0", runId: "run-1", step: "extract", input: 1 };
    const results = await Promise.all([1, 2, 3, 4].map(() => store.start(start)));
    assert.deepEqual(
      results.map((result) => valueOf(result).started).filter((started) => started),
      [true],
    );
  }),
  contractCase("a commit under a command's key finishes that command", async ({ store }) => {
    const start = { workflowId: "claims", workflowVersion: "1.0.0", runId: "run-1", step: "extract", input: 1 };
    valueOf(await store.start(start));
    const [row] = await rowsOf(store);
    valueOf(await store.commit(commitOf({ stepId: row?.key ?? "", expectedVersion: 1 })));
    const [after] = await rowsOf(store);
    assert.deepEqual([after?.status, after?.finished], ["dispatched", true]);
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "completed");
  }),
  contractCase("a failure is recorded as an event and a version", async ({ store }) => {
    valueOf(await store.commit(commitOf()));
    const error = { code: "no_answer", message: "The model answered nothing.", retryable: true };
    const failure = { workflowId: "claims", workflowVersion: "1.0.0", runId: "run-1", stepId: "b", stepName: "verify" };
    assert.deepEqual(valueOf(await store.recordFailure({ ...failure, error, attempt: 2 })), { version: 2 });
    const events = valueOf(await store.events("claims", "run-1"));
    assert.deepEqual(events.at(-1), {
      type: "step.failed",
      payload: { stepName: "verify", ...error, attempt: 2 },
      version: 2,
      stepId: "b",
    });
    assert.deepEqual(valueOf(await store.load("claims", "run-1"))?.computed, { risk: "low" });
  }),
  contractCase("a failure isn't a commit: its step may still commit", async ({ store }) => {
    valueOf(await store.commit(commitOf()));
    const error = { code: "x", message: "x", retryable: true };
    const failure = { workflowId: "claims", workflowVersion: "1.0.0", runId: "run-1", stepId: "b", stepName: "b" };
    valueOf(await store.recordFailure({ ...failure, error, attempt: 1 }));
    const commit = await store.commit(commitOf({ stepId: "b", expectedVersion: 2 }));
    assert.deepEqual(valueOf(commit), { version: 3, duplicate: false });
  }),
  contractCase("a failure of a run that is not there is refused", async ({ store }) => {
    const error = { code: "x", message: "x", retryable: true };
    const failure = { workflowId: "claims", workflowVersion: "1.0.0", runId: "run-1", stepId: "b", stepName: "b" };
    errorOf(await store.recordFailure({ ...failure, error, attempt: 1 }), "run_not_found");
  }),
  contractCase("two blocking commands are refused and named, without a write", async ({ store }) => {
    const commands = [review("first"), suspend({ reason: "second", checkpoint: 1 }), invoke("verify", 1)];
    const error = errorOf(await store.commit(commitOf({ commands })), "orchestration_error");
    assert.equal(
      error.message,
      'A step\'s result can have at most one blocking command, but this has 2: review "first", suspend "second".',
    );
    assert.equal(valueOf(await store.load("claims", "run-1")), undefined);
  }),
  contractCase("two equal commands of one result are refused, both named", async ({ store }) => {
    const commands = [invoke("verify", { b: 1, a: 2 }), emit("t", 1), invoke("verify", { a: 2, b: 1 })];
    const error = errorOf(await store.commit(commitOf({ commands })), "duplicate_command");
    assert.match(error.message, /^commands\[2\] equals commands\[0\], so one of them would be lost\./);
    assert.equal(valueOf(await store.load("claims", "run-1")), undefined);
  }),
  contractCase("equal inputs of a fanout are refused, both named", async ({ store }) => {
    const error = errorOf(
      await store.commit(commitOf({ commands: [fanout("verify", [1, 2, 1])] })),
      "duplicate_command",
    );
    assert.match(error.message, /^commands\[0\]\.inputs\[2\] equals commands\[0\]\.inputs\[0\]/);
  }),
  contractCase("a fanout and an invoke of the same input are refused", async ({ store }) => {
    const commands = [fanout("verify", [1, 2]), invoke("verify", 2)];
    errorOf(await store.commit(commitOf({ commands })), "duplicate_command");
  }),
  contractCase("equal commands of two steps are two", async ({ store }) => {
    valueOf(await store.commit(commitOf({ commands: [invoke("verify", 1)] })));
    valueOf(await store.commit(commitOf({ stepId: "b", expectedVersion: 1, commands: [invoke("verify", 1)] })));
    const keys = (await rowsOf(store)).map(({ key }) => key);
    assert.equal(new Set(keys).size, 2);
  }),
  contractCase("a fanout is one row per input, in order", async ({ store }) => {
    const commands = [emit("begun", {}), fanout("verify", [{ id: 3 }, { id: 1 }, { id: 2 }]), invoke("close", null)];
    valueOf(await store.commit(commitOf({ commands })));
    assert.deepEqual(
      (await rowsOf(store)).map(({ kind, target, payload }) => [kind, target, payload]),
      [
        ["emit", "begun", {}],
        ["invoke", "verify", { id: 3 }],
        ["invoke", "verify", { id: 1 }],
        ["invoke", "verify", { id: 2 }],
        ["invoke", "close", null],
      ],
    );
  }),
  contractCase("an empty fanout adds no row", async ({ store }) => {
    valueOf(await store.commit(commitOf({ commands: [fanout("verify", [])] })));
    assert.deepEqual(await statusesOf(store), []);
    assert.equal(valueOf(await store.load("claims", "run-1"))?.status, "completed");
  }),
  contractCase("a fanout of a thousand is written completely", async ({ store }) => {
    const inputs = Array.from({ length: 1000 }, (_, id) => ({ id }));
    valueOf(await store.commit(commitOf({ commands: [fanout("verify", inputs)] })));
    assert.deepEqual(
      (await rowsOf(store)).map(({ payload }) => payload),
      inputs,
    );
  }),
  contractCase("what a caller changes afterwards is not in the store", async ({ store }) => {
    const output = { list: [1] };
    const commit = store.commit(commitOf({ output }));
    output.list.push(2);
    valueOf(await commit);
    output.list.push(3);
    const computed: { list?: number[] } = { ...valueOf(await store.load("claims", "run-1"))?.computed };
    computed.list?.push(4);
    const again = valueOf(await store.load("claims", "run-1"))?.computed;
    assert.deepEqual(again, { list: [1] });
  }),
];
