/** What a command tells by its exit code. */
export const EXIT = {
  /** Done, and nothing is wrong. */
  clean: 0,
  /** Regressions, a refusal, a damaged log: the project needs attention. */
  regressions: 1,
  /** A command line that makes no sense, or a machine that does not play along: nothing was decided. */
  usage: 2,
} as const;

/** An exit code of ours. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
