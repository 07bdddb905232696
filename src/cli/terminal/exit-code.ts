/** Exit codes of commands. A command that checks cases decides by `exitCodeOfCase` (cases/exit-code-of-case.ts). */
export const EXIT = {
  /** Done without problems. */
  clean: 0,
  /** Regressions, a refusal, a damaged log of receipts: the project needs attention. */
  regressions: 1,
  /** Invalid command line, a damaged baseline, or a problem of the machine: the result is unknown. */
  usage: 2,
} as const;

/** An exit code of veritest. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
