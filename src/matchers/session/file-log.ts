import type { LiveUsage, LoggedCheck, TestFileLog } from "../../explain/append-run-log.ts";
import type { Attempt } from "./attempt.ts";

/** Log of the attempts that ended in a test file. */
export class FileLog {
  /** Paths of the baselines that its tests have checked, those of attempts that haven't ended among them. */
  readonly used: Set<string> = new Set();
  #checks: LoggedCheck[] = [];
  #unreported: string[] = [];
  #emptySteps: string[] = [];
  #live: LiveUsage[] = [];

  /**
   * Adds the checks of an attempt of a round. A test that must fail adds its baselines only, because tests use them.
   */
  async add({ checks, emptySteps, live, expectsFailure }: Attempt, round: number, isPending: boolean): Promise<void> {
    this.#live.push(...live);
    this.#emptySteps.push(...emptySteps);
    const logs = checks.map((check) => check(isPending));
    // Only those with a report are awaited.
    for (const pending of logs) {
      const log = pending instanceof Promise ? await pending : pending;
      if (expectsFailure) this.#unreported.push(log.path);
      else this.#checks.push({ ...log, round });
    }
  }

  /** Takes the log of the file. The next file begins with an empty one. */
  take(): Pick<TestFileLog, "checks" | "unreported" | "emptySteps" | "live"> {
    const checks = this.#checks;
    const unreported = this.#unreported;
    this.#checks = [];
    const live = this.#live;
    const emptySteps = this.#emptySteps;
    this.#unreported = [];
    this.#emptySteps = [];
    this.#live = [];
    this.used.clear();
    return {
      checks,
      ...(unreported.length === 0 ? {} : { unreported }),
      ...(emptySteps.length === 0 ? {} : { emptySteps }),
      ...(live.length === 0 ? {} : { live }),
    };
  }
}
