import { expect, test } from "vitest";
import { captureArtifact, captureArtifactSync } from "../../record/snapshot.ts";
import { type Artifact, createArtifactSink, refuseReserved } from "./artifact.ts";

const artifact = (kind: string): Artifact => captureArtifactSync(kind, { of: kind });

async function later<T>(value: T, ticks: number): Promise<T> {
  for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
  return value;
}

test("passes artifacts on one after another, in emission order, at any speed", async () => {
  const log: string[] = [];
  const sink = createArtifactSink(async ({ kind }) => {
    log.push(`${kind} begins`);
    await later(undefined, kind === "slow" ? 20 : 1);
    log.push(`${kind} ends`);
  });
  sink.emit(later(artifact("slow"), 30));
  sink.emit(artifact("quick"));
  sink.emit(captureArtifact("last", 1));
  expect((await sink.drain()).map(({ kind }) => kind)).toStrictEqual(["slow", "quick", "last"]);
  expect(log).toStrictEqual(["slow begins", "slow ends", "quick begins", "quick ends", "last begins", "last ends"]);
});

test("keeps artifacts without a handler", async () => {
  const sink = createArtifactSink();
  sink.emit(artifact("note"));
  expect(await sink.drain()).toStrictEqual([artifact("note")]);
});

test.each(["step-output", "step-commands"])("refuses %s at once", (kind) => {
  const sink = createArtifactSink();
  expect(() => sink.emit(artifact(kind))).toThrow(
    new TypeError(`Artifact kind "${kind}" is reserved for veritest. Use a different kind, e.g. "llm-output".`),
  );
});

test("refuses a reserved kind that is still being hashed when drained, without passing it on", async () => {
  const heard: Artifact[] = [];
  const sink = createArtifactSink((each) => void heard.push(each));
  sink.emit(captureArtifact("step-output", 1));
  await expect(sink.drain()).rejects.toThrow(
    new TypeError('Artifact kind "step-output" is reserved for veritest. Use a different kind, e.g. "llm-output".'),
  );
  expect(heard).toStrictEqual([]);
});

test("draining rejects with the first failure, and passes on no later artifact", async () => {
  const first = new Error("disk full");
  const heard: string[] = [];
  const sink = createArtifactSink(({ kind }) => {
    heard.push(kind);
    if (kind === "bad") throw first;
  });
  for (const kind of ["good", "bad", "late"]) sink.emit(artifact(kind));
  await expect(sink.drain()).rejects.toBe(first);
  expect(heard).toStrictEqual(["good", "bad"]);
});

test("artifacts emitted after draining don't change the drained list", async () => {
  const sink = createArtifactSink();
  const drained = await sink.drain();
  sink.emit(artifact("late"));
  expect([drained, await sink.drain()]).toStrictEqual([[], [artifact("late")]]);
});

test("accepts a custom kind", () => {
  for (const kind of ["llm-output", "adapter-call", "Step-Output"])
    expect(refuseReserved(artifact(kind))).toBeUndefined();
});
