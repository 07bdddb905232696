import { expect, test } from "vitest";
import { z } from "zod";
import { checkCommands } from "./check-commands.ts";
import { emit, fanout, invoke, review, suspend } from "./command.ts";
import { defineStep } from "./define-step.ts";
import { defineWorkflow } from "./define-workflow.ts";

const verify = defineStep({
  name: "verify",
  input: z.object({ id: z.number() }),
  output: z.object({}),
  run: () => ({ output: {} }),
});
const workflow = defineWorkflow({ name: "claims", version: "1.0.0", steps: { verify } });

test("valid commands have no problems", async () => {
  const commands = [
    invoke("verify", { id: 1 }),
    fanout("verify", [{ id: 1 }, { id: 2 }]),
    emit("found", 1),
    review("unsure"),
  ];
  expect(await checkCommands(commands)).toStrictEqual([]);
  expect(await checkCommands(commands, workflow)).toStrictEqual([]);
  expect(await checkCommands([])).toStrictEqual([]);
});

test("two blocking commands are a problem, of any type", async () => {
  const commands = [review("unsure"), emit("found", 1), suspend({ reason: "wait", checkpoint: 0 })];
  expect(await checkCommands(commands)).toStrictEqual([
    { index: undefined, message: 'at most one blocking command is allowed, found 2: review "unsure", suspend "wait"' },
  ]);
});

test("a malformed command is named by its index and path", async () => {
  expect(
    await checkCommands([
      emit("found", 1),
      { type: "invoke", step: "verify", input: 1, id: 7 },
      { type: "invoke", step: 3, input: 1 },
    ]),
  ).toStrictEqual([
    { index: 1, message: '(root): Unrecognized key: "id"' },
    { index: 2, message: "step: Invalid input: expected string, received number" },
  ]);
});

test("with a workflow, unknown steps are named together with the known ones", async () => {
  const unknown = 'not found in workflow "claims". Known steps: "verify".';
  const commands = [
    invoke("verfy", {}),
    fanout("toString", []),
    suspend({ reason: "wait", checkpoint: 0, resumeStep: "later" }),
  ];
  expect(await checkCommands(commands, workflow)).toStrictEqual([
    { index: 0, message: `Step "verfy" ${unknown}` },
    { index: 1, message: `Step "toString" ${unknown}` },
    { index: 2, message: `Step "later" ${unknown}` },
  ]);
});

test("with a workflow, an input that the step's schema refuses is a problem, for each one of a fanout", async () => {
  const refused = "id: Invalid input: expected number, received string";
  expect(
    await checkCommands([invoke("verify", { id: "1" }), fanout("verify", [{ id: 1 }, { id: "2" }])], workflow),
  ).toStrictEqual([
    { index: 0, message: `input of invoke "verify": ${refused}` },
    { index: 1, message: `inputs[1] of fanout "verify": ${refused}` },
  ]);
});

test("a suspend may resume at a step of the workflow", async () => {
  expect(
    await checkCommands([suspend({ reason: "wait", checkpoint: 0, resumeStep: "verify" })], workflow),
  ).toStrictEqual([]);
});
