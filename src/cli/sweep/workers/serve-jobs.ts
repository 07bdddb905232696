import { type Result, err, ok } from "../../../kernel/result.ts";
import { quote } from "../../../kernel/text.ts";
import { messageOf } from "../../../kernel/thrown.ts";
import { flushTelemetry } from "../../../kernel/telemetry/flush.ts";
import type { GroupFiles } from "../../../baseline/library.ts";
import { filterOf } from "../../inspect/stored-baseline.ts";
import { type Asking, type SweepAnswer, type SweptCase, answerCase } from "../answer-case.ts";
import { askerOf } from "../case-checks.ts";
import { Wanted } from "../nearest-words.ts";
import { loadProject } from "../open-project.ts";
import { inParallel } from "../parallel.ts";
import { filesOf } from "../run-sweep.ts";
import { onStray } from "../stay-alive.ts";
import { type FromWorker, type Job, PULSE, type WorkerStart, isToWorker } from "./protocol.ts";

/** Milliseconds between two signs of life. */
const BEAT_MS = 20;
/** Answers that are sent together: each message costs both threads more than a case in it. */
const BATCH = 32;
/** Milliseconds after which those that are there are sent. */
const SOON_MS = 20;

const WITHOUT = "Run without any: --workers 1";

/** The life of a worker: asks about the files it is given, and answers, until it is told that there are no more. */
export async function serveJobs(start: WorkerStart): Promise<void> {
  const { port, pulse } = start;
  const say = (message: FromWorker): void => port.postMessage(message);
  const release = onStray((message) => say({ kind: "stray", message }));
  const beat = setInterval(() => Atomics.add(pulse, PULSE.beat, 1), BEAT_MS);
  try {
    const inbox = new Inbox(start);
    const opened = await openWork(start);
    if (!opened.ok) return say({ kind: "refused", error: opened.error });
    say({ kind: "ready" });
    const { asking, places, wanted } = opened.value;
    const outbox = new Outbox(say);
    const chooses = filterOf(start.words);
    const { signal } = new AbortController();
    await inParallel(inbox, { concurrency: start.concurrency, signal }, async ({ place, target, name }) => {
      Atomics.add(pulse, PULSE.begun, 1);
      const swept = places[target]?.(name);
      const baseline = swept?.stored.baseline;
      if (baseline?.ok === true) wanted.see(baseline.value);
      const chosen = swept !== undefined && (baseline?.ok !== true || chooses(baseline.value));
      outbox.put(place, chosen ? await answerCase(swept, asking) : undefined);
      if (inbox.isEmpty) outbox.send();
    });
    outbox.send();
    await flushTelemetry();
    say({ kind: "done", met: wanted.met() });
  } catch (thrown) {
    say({ kind: "broke", message: messageOf(thrown) });
  } finally {
    clearInterval(beat);
    release();
    port.close();
  }
}

interface Work {
  readonly asking: Asking;
  /** Of each target what reads one of its files. */
  readonly places: readonly ((name: string) => SweptCase | undefined)[];
  readonly wanted: Wanted;
}

async function openWork({
  places,
  targets,
  spec,
  words,
  timeoutMs,
  holds,
}: WorkerStart): Promise<Result<Work, string>> {
  const project = await loadProject(places);
  // The main thread could: it is the thread that makes the difference.
  if (!project.ok) return err(`A worker cannot load the project: ${project.error.replace(/\.$/, "")}. ${WITHOUT}`);
  const found = targets.map((target) => ({ ...target, configured: project.value.steps.get(target.step) }));
  const known = found.flatMap(({ configured, ...target }) =>
    configured === undefined ? [] : { ...target, configured },
  );
  const lost = found.find(({ configured }) => configured === undefined);
  if (lost !== undefined)
    return err(`A worker cannot load the step ${quote(lost.step)}, which is there in the main thread. ${WITHOUT}`);
  const ask = await askerOf(
    spec,
    known.map(({ configured }) => configured),
  );
  if (!ask.ok) return ask;
  const readers = known.map((target) => readerOf(target, filesOf(target)));
  return ok({
    asking: { root: places.root, ask: ask.value, timeoutMs, holds },
    places: readers,
    wanted: new Wanted(words),
  });
}

function readerOf(target: SweptCase["target"], files: GroupFiles): (name: string) => SweptCase | undefined {
  return (name) => {
    const stored = files.read(name);
    return stored === undefined ? undefined : { target, stored };
  };
}

/** The files that a worker was given and did not begin; ends when there are no more, or none are to be begun. */
class Inbox implements AsyncIterable<Job> {
  readonly #pulse: Int32Array;
  readonly #jobs: Job[] = [];
  #next = 0;
  #ended = false;
  #wake: () => void = () => undefined;

  constructor({ port, pulse }: Pick<WorkerStart, "port" | "pulse">) {
    this.#pulse = pulse;
    port.on("message", (message: unknown) => {
      if (!isToWorker(message)) return;
      if (message.kind === "end") this.#ended = true;
      else this.#jobs.push(...message.jobs);
      this.#wake();
    });
  }

  get isEmpty(): boolean {
    return this.#next === this.#jobs.length;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Job, void, undefined> {
    while (Atomics.load(this.#pulse, PULSE.stop) === 0) {
      const job = this.#jobs[this.#next];
      if (job !== undefined) {
        this.#next += 1;
        yield job;
      } else if (this.#ended) return;
      else await this.#more();
    }
  }

  async #more(): Promise<void> {
    this.#jobs.length = 0;
    this.#next = 0;
    await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}

/** Answers on their way to the main thread: many at once, and none of them late. */
class Outbox {
  readonly #say: (message: FromWorker) => void;
  #answers: (readonly [number, SweepAnswer | undefined])[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(say: (message: FromWorker) => void) {
    this.#say = say;
  }

  put(place: number, answer: SweepAnswer | undefined): void {
    this.#answers.push([place, answer]);
    if (this.#answers.length >= BATCH) this.send();
    else this.#timer ??= setTimeout(() => this.send(), SOON_MS);
  }

  send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#answers.length === 0) return;
    this.#say({ kind: "answers", answers: this.#answers });
    this.#answers = [];
  }
}
