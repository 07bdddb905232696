import { MessageChannel, type MessagePort, Worker, receiveMessageOnPort } from "node:worker_threads";
import { codeOf, messageOf } from "../../../kernel/thrown.ts";
import { type FromWorker, type Job, PULSE, type ToWorker, type WorkerStart, isFromWorker } from "./protocol.ts";

/** The thread's own module: beside this one in the source, and in the package beside all. */
const MODULE: URL = new URL(
  import.meta.url.endsWith(".ts") ? "../../../sweep-worker.ts" : "./sweep-worker.js",
  import.meta.url,
);
/**
 * Memory for what is new, in MB. A worker that has no more may take 16 MB until it is ended: where more than that is
 * moved out of here at once, the whole process dies of it.
 */
const YOUNG_MB = 24;
/** Milliseconds that a worker which has nothing more to do may take to end by itself. */
const GRACE_MS = 100;

/** How a worker was lost. */
export type Ending =
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "memory" }
  | { readonly kind: "crash"; readonly message: string }
  /** It gave no sign of life, and was ended. */
  | { readonly kind: "blocked" };

/** Who hears of a worker. Exactly one of `done` and `lost` comes last. */
export interface WorkerEvents {
  readonly told: (message: Exclude<FromWorker, { readonly kind: "done" }>, worker: SweepWorker) => void;
  readonly done: (message: Extract<FromWorker, { readonly kind: "done" }>, worker: SweepWorker) => void;
  readonly lost: (ending: Ending, worker: SweepWorker) => void;
}

/** The main thread's hold on a worker of a sweep. */
export class SweepWorker {
  readonly #thread: Worker;
  readonly #port: MessagePort;
  readonly #pulse: Int32Array = new Int32Array(new SharedArrayBuffer(PULSE.size * Int32Array.BYTES_PER_ELEMENT));
  readonly #events: WorkerEvents;
  /** Whatever it was given, in that order. */
  readonly #given: Job[] = [];
  readonly #open = new Set<number>();
  #ending: Ending | undefined;
  #over = false;
  #beat = 0;
  #silentMs = 0;
  /** Settled when the thread is gone. */
  readonly gone: Promise<void>;

  constructor(start: Omit<WorkerStart, "port" | "pulse">, events: WorkerEvents) {
    const { port1, port2 } = new MessageChannel();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#events = events;
    this.#port = port1;
    this.gone = promise;
    this.#thread = new Worker(MODULE, {
      workerData: { ...start, port: port2, pulse: this.#pulse },
      transferList: [port2],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    port1.on("message", (message: unknown) => this.#hear(message));
    this.#thread.on("error", (thrown) => (this.#ending ??= endingOf(thrown)));
    this.#thread.on("exit", (code) => {
      this.#lose({ kind: "exit", code });
      resolve();
    });
  }

  /** Whether it was given nothing yet. */
  get isFresh(): boolean {
    return this.#given.length === 0;
  }

  /** How many files it has not answered. */
  get open(): number {
    return this.#open.size;
  }

  /** The files it began and did not answer, and whether the first it ever began is the only one. */
  begun(): { readonly jobs: readonly Job[]; readonly isOnly: boolean } {
    const begun = this.#given.slice(0, Atomics.load(this.#pulse, PULSE.begun));
    return { jobs: begun.filter(({ place }) => this.#open.has(place)), isOnly: begun.length === 1 };
  }

  /** The files it was given and did not begin. */
  waiting(): readonly Job[] {
    return this.#given.slice(Atomics.load(this.#pulse, PULSE.begun));
  }

  /** Gives it files to ask about. */
  give(jobs: readonly Job[]): void {
    for (const job of jobs) {
      this.#given.push(job);
      this.#open.add(job.place);
    }
    this.#say({ kind: "jobs", jobs });
  }

  /** Tells it that there are no more. */
  end(): void {
    this.#say({ kind: "end" });
  }

  /** Lets it begin no more, though it was given more. */
  stop(): void {
    Atomics.store(this.#pulse, PULSE.stop, 1);
    this.end();
  }

  /** Ends it where nothing was seen of it for so long; `passedMs` is the time since it was last asked. */
  watch(passedMs: number, mostMs: number): void {
    const beat = Atomics.load(this.#pulse, PULSE.beat);
    this.#silentMs = beat === this.#beat ? this.#silentMs + passedMs : 0;
    this.#beat = beat;
    if (this.#silentMs > mostMs && this.#open.size > 0) this.#kill({ kind: "blocked" });
  }

  /** Ends it at once, unheard. */
  kill(): void {
    this.#over = true;
    void this.#thread.terminate();
  }

  #kill(ending: Ending): void {
    void this.#thread.terminate();
    // Not when it is gone: what is blocked outside of JavaScript may never be.
    this.#lose(ending);
  }

  #say(message: ToWorker): void {
    this.#port.postMessage(message, []);
  }

  #hear(message: unknown): void {
    if (this.#over || !isFromWorker(message)) return;
    this.#silentMs = 0;
    if (message.kind === "done") {
      this.#over = true;
      // Adapters may hold the thread open, and a case that was given up.
      const timer = setTimeout(() => void this.#thread.terminate(), GRACE_MS);
      void this.gone.then(() => clearTimeout(timer));
      this.#events.done(message, this);
      return;
    }
    if (message.kind === "answers") for (const [place] of message.answers) this.#open.delete(place);
    this.#events.told(message, this);
  }

  #lose(ending: Ending): void {
    // What it said before it was lost still lies there.
    for (let left = receiveMessageOnPort(this.#port); left !== undefined; left = receiveMessageOnPort(this.#port))
      this.#hear(left.message);
    this.#port.close();
    if (this.#over) return;
    this.#over = true;
    this.#events.lost(this.#ending ?? ending, this);
  }
}

function endingOf(thrown: unknown): Ending {
  return codeOf(thrown) === "ERR_WORKER_OUT_OF_MEMORY"
    ? { kind: "memory" }
    : { kind: "crash", message: messageOf(thrown) };
}
