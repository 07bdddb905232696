import { type Result, err, ok } from "../../../kernel/result.ts";
import { truncate } from "../../../kernel/text.ts";
import { type StepError, kernelError } from "../../../kernel/step/fail.ts";
import { durationText } from "../../../kernel/files/command-line.ts";
import { type SweepAnswer, tellCheck } from "../answer-case.ts";
import type { SweepTarget } from "../find-targets.ts";
import { InOrder } from "../in-order.ts";
import { Wanted } from "../nearest-words.ts";
import { type SweepEnd, filesOf } from "../run-sweep.ts";
import { failedCheck } from "../stay-alive.ts";
import { JobQueue, type Loss, type Suspect } from "./job-queue.ts";
import type { FromWorker, Job, WorkerStart } from "./protocol.ts";
import { type Ending, SweepWorker } from "./sweep-worker.ts";

/** Files that a worker is given at a time, at most: fewer towards the end, so that all come to it together. */
const CHUNK = 64;
/** Milliseconds between two looks at whether workers live. */
const WATCH_MS = 50;
/** Characters of what an error says. */
const MAX_MESSAGE = 300;

/** A sweep whose cases threads share. */
export interface SharedSweep {
  readonly start: Omit<WorkerStart, "port" | "pulse" | "targets" | "concurrency">;
  readonly targets: readonly SweepTarget[];
  /** About how many files they have. */
  readonly count: number;
  readonly workers: number;
  /** How many cases are asked at a time, by all of them. */
  readonly concurrency: number;
  /** When it is aborted no further case is begun. */
  readonly signal: AbortSignal;
  /** Hears of each file that is read, whether it is chosen or not. */
  readonly looked: () => void;
  /** Takes what came of each case, in the order of the cases. */
  readonly take: (answer: SweepAnswer) => void;
  /** Hears of what was thrown in a worker where nobody caught it. */
  readonly stray: (message: string) => void;
}

/** How a shared sweep came to its end. */
export interface SharedEnd extends Pick<SweepEnd, "unknown"> {
  /** Workers that were lost though none of the cases they ran ends one, a sentence each. */
  readonly losses: readonly string[];
}

/**
 * Asks of each chosen case in workers, as `runSweep` does in this thread. A worker that ends, or is ended because it
 * gives no sign of life for the time of a case, is replaced: what it had begun runs again, one case at a time, and a
 * case fails of it only where it was all that the worker ever ran. One sentence where workers cannot start.
 */
export async function shareSweep(sweep: SharedSweep): Promise<Result<SharedEnd, string>> {
  return new Sharing(sweep).run();
}

class Sharing {
  readonly #sweep: SharedSweep;
  readonly #answers: InOrder<SweepAnswer>;
  readonly #wanted: Wanted;
  readonly #queue: JobQueue;
  readonly #workers = new Map<SweepWorker, { ready: boolean; alone: Suspect | undefined }>();
  readonly #gone: Promise<void>[] = [];
  readonly #losses: Loss[] = [];
  readonly #end = Promise.withResolvers<Result<undefined, string>>();

  constructor(sweep: SharedSweep) {
    this.#sweep = sweep;
    this.#answers = new InOrder(sweep.take);
    this.#wanted = new Wanted(sweep.start.words);
    this.#queue = new JobQueue(jobsOf(sweep.targets), sweep.count);
  }

  async run(): Promise<Result<SharedEnd, string>> {
    const { signal, workers } = this.#sweep;
    const stop = (): void => {
      for (const worker of this.#workers.keys()) worker.stop();
    };
    signal.addEventListener("abort", stop);
    const watch = this.#watch();
    try {
      for (let index = 0; index < workers; index += 1) this.#hire(index);
      const end = await this.#end.promise;
      this.#answers.flush();
      if (!end.ok) return end;
      const unknown = signal.aborted ? [] : this.#wanted.problems();
      return ok({ unknown, losses: this.#losses.flatMap((loss) => (loss.explained ? [] : [loss.how])) });
    } finally {
      clearInterval(watch);
      signal.removeEventListener("abort", stop);
      for (const worker of this.#workers.keys()) worker.kill();
      await Promise.race([Promise.all(this.#gone), forAWhile()]);
    }
  }

  /** Time that this thread itself did not run, as of a machine that slept, does not count. */
  #watch(): NodeJS.Timeout | undefined {
    const { timeoutMs } = this.#sweep.start;
    if (timeoutMs === 0) return undefined;
    let last = performance.now();
    return setInterval(() => {
      const now = performance.now();
      const passedMs = Math.min(now - last, 2 * WATCH_MS);
      last = now;
      for (const [worker, { ready }] of this.#workers) if (ready) worker.watch(passedMs, timeoutMs);
    }, WATCH_MS);
  }

  #hire(index: number): void {
    const { start, targets, concurrency, workers } = this.#sweep;
    const share = Math.floor(concurrency / workers) + (index < concurrency % workers ? 1 : 0);
    const worker = new SweepWorker(
      {
        ...start,
        targets: targets.map(({ configured, root, only }) => ({ step: configured.step.name, root, only })),
        concurrency: Math.max(1, share),
      },
      {
        told: (message, from) => this.#hear(message, from),
        done: ({ met }, from) => {
          this.#wanted.seeAll(met);
          this.#dismiss(from);
        },
        lost: (ending, from) => this.#lose(ending, from),
      },
    );
    this.#gone.push(worker.gone);
    this.#workers.set(worker, { ready: false, alone: undefined });
  }

  #hear(message: Exclude<FromWorker, { readonly kind: "done" }>, worker: SweepWorker): void {
    switch (message.kind) {
      case "ready": {
        this.#workers.set(worker, { ready: true, alone: undefined });
        this.#feed(worker);
        return;
      }
      case "refused": {
        this.#end.resolve(err(message.error));
        return;
      }
      case "broke": {
        this.#end.reject(new Error(message.message));
        return;
      }
      case "stray": {
        this.#sweep.stray(message.message);
        return;
      }
      case "answers": {
        for (const [place, answer] of message.answers) this.#settle(place, answer);
        this.#feed(worker);
        return;
      }
    }
  }

  #settle(place: number, answer: SweepAnswer | undefined): void {
    this.#sweep.looked();
    this.#answers.put(place, answer);
  }

  /** Gives a worker what it is to do next: a suspect where there is one, and then nothing else before that is known. */
  #feed(worker: SweepWorker): void {
    const state = this.#workers.get(worker);
    if (state === undefined || !state.ready) return;
    if (this.#sweep.signal.aborted) return worker.stop();
    const { open } = worker;
    if (open === 0) {
      state.alone = this.#queue.takeSuspect(worker.isFresh);
      if (state.alone !== undefined) return worker.give([state.alone.job]);
    }
    if (state.alone !== undefined || open > CHUNK) return;
    const fair = Math.ceil(this.#queue.left / (4 * this.#sweep.workers));
    const jobs = this.#queue.take(Math.min(CHUNK, Math.max(1, fair)));
    if (jobs.length > 0) worker.give(jobs);
    else if (open === 0) worker.end();
  }

  #lose(ending: Ending, worker: SweepWorker): void {
    const state = this.#workers.get(worker);
    if (state?.ready !== true && !this.#sweep.signal.aborted) {
      this.#end.resolve(err(`A worker could not start: ${endingText(ending)}. Run without any: --workers 1`));
      return;
    }
    const { jobs, isOnly } = worker.begun();
    const loss: Loss = { how: lossText(ending), explained: false };
    this.#losses.push(loss);
    this.#queue.putBack(worker.waiting());
    const [first] = jobs;
    if (first !== undefined && isOnly)
      this.#convict(first, { ending, losses: [...(state?.alone?.losses ?? []), loss] });
    else {
      const losses = [...(state?.alone?.losses ?? []), loss];
      const needsFresh = state?.alone !== undefined;
      // The last that was begun first, and in a worker of its own: most often it is the one.
      this.#queue.suspect(jobs.toReversed().map((job) => ({ job, losses, needsFresh })));
    }
    if (!this.#sweep.signal.aborted && !this.#queue.isEmpty) this.#hire(0);
    this.#dismiss(worker);
  }

  /** Fails a case that ended its worker, and was all that the worker ran. */
  #convict(job: Job, { ending, losses }: { readonly ending: Ending; readonly losses: readonly Loss[] }): void {
    for (const loss of losses) loss.explained = true;
    const { root } = this.#sweep.start.places;
    const target = this.#sweep.targets[job.target];
    const stored = target === undefined ? undefined : filesOf(target).read(job.name);
    if (target === undefined || stored === undefined) return this.#settle(job.place, undefined);
    const check = failedCheck(stored, caseError(ending, this.#sweep.start.timeoutMs));
    this.#settle(job.place, tellCheck(check, { target, stored }, { root, durationMs: null }));
  }

  #dismiss(worker: SweepWorker): void {
    this.#workers.delete(worker);
    if (this.#workers.size === 0) this.#end.resolve(ok(undefined));
  }
}

/** What the cases of targets are, file by file. */
function* jobsOf(targets: readonly SweepTarget[]): Generator<Job, void, undefined> {
  let place = 0;
  for (const [target, found] of targets.entries()) {
    for (const name of filesOf(found).names()) {
      yield { place, target, name };
      place += 1;
    }
  }
}

function endingText(ending: Ending): string {
  switch (ending.kind) {
    case "exit":
      return `it ended with exit code ${ending.code}`;
    case "memory":
      return "it ran out of memory";
    case "crash":
      return truncate(ending.message, MAX_MESSAGE).replace(/\.$/, "");
    case "blocked":
      return "it never gave way, and was ended";
  }
}

function lossText(ending: Ending): string {
  return (
    `A worker was lost (${endingText(ending)}), and none of the cases it ran loses one by itself: ` +
    "look for what a step leaves running."
  );
}

function caseError(ending: Ending, timeoutMs: number): StepError {
  switch (ending.kind) {
    case "exit":
      return kernelError(
        "execution_failed",
        `It ended the worker that ran it, with exit code ${ending.code}: let the step throw, or give an error back.`,
      );
    case "memory":
      return kernelError(
        "execution_failed",
        "It ran out of memory, and the worker that ran it was ended. " +
          "Give it more by NODE_OPTIONS=--max-old-space-size=<MB>.",
      );
    case "crash":
      return kernelError("execution_failed", `It ended the worker that ran it: ${endingText(ending)}.`);
    case "blocked":
      return kernelError(
        "timed_out",
        `It did not end within ${durationText(timeoutMs)} and never gave way: the worker that ran it was ended. ` +
          "Give it more by --timeout.",
      );
  }
}

/** What is blocked outside of JavaScript may never be gone. */
async function forAWhile(): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, 1000).unref());
}
