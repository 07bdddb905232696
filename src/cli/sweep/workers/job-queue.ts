import type { Job } from "./protocol.ts";

/** A job that ran when its worker was lost. */
export interface Suspect {
  readonly job: Job;
  /** The losses that it may be to blame for. */
  readonly losses: readonly Loss[];
  /** True where it was lost once more by itself: then a worker that ran anything else before says nothing. */
  readonly needsFresh: boolean;
}

/** A worker that was lost, and whether a case is known to end one. */
export interface Loss {
  readonly how: string;
  explained: boolean;
}

/**
 * What is left to do of a sweep: files in order, those that a lost worker had not begun, and suspects, which run alone.
 * Files are told apart one by one when they are asked for.
 */
export class JobQueue {
  readonly #source: Iterator<Job, unknown>;
  readonly #back: Job[] = [];
  #suspects: Suspect[] = [];
  #left: number;

  /** `count` is how many the source has, about. */
  constructor(source: Iterable<Job>, count: number) {
    this.#source = source[Symbol.iterator]();
    this.#left = count;
  }

  /** Whether nothing is left, suspects and all. */
  get isEmpty(): boolean {
    if (this.#suspects.length > 0) return false;
    const [first] = this.take(1);
    if (first !== undefined) this.#back.unshift(first);
    return first === undefined;
  }

  /** About how many jobs are left, without suspects. */
  get left(): number {
    return Math.max(0, this.#left) + this.#back.length;
  }

  /** The next jobs, at most so many. */
  take(most: number): Job[] {
    const taken = this.#back.splice(0, most);
    while (taken.length < most) {
      const { done, value } = this.#source.next();
      if (done === true) break;
      this.#left -= 1;
      taken.push(value);
    }
    return taken;
  }

  /** Puts jobs back that were not begun. */
  putBack(jobs: readonly Job[]): void {
    this.#back.unshift(...jobs);
  }

  /** Puts suspects before those that are there. */
  suspect(suspects: readonly Suspect[]): void {
    this.#suspects.unshift(...suspects);
  }

  /** The next suspect for a worker; `isFresh` where it has run nothing. */
  takeSuspect(isFresh: boolean): Suspect | undefined {
    const at = isFresh
      ? Math.max(
          0,
          this.#suspects.findIndex(({ needsFresh }) => needsFresh),
        )
      : this.#suspects.findIndex(({ needsFresh }) => !needsFresh);
    const taken = this.#suspects[at];
    if (taken !== undefined) this.#suspects = this.#suspects.toSpliced(at, 1);
    return taken;
  }
}
