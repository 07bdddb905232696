/** A stream of text that a command writes to. */
export interface Output {
  write(text: string): unknown;
  /** True for a terminal. */
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** Stream that a command reads keys or text from. */
export interface Input extends NodeJS.ReadableStream {
  /** True for a terminal. */
  readonly isTTY?: boolean | undefined;
  /** Present on terminals: delivers each key as it's pressed. */
  setRawMode?(mode: boolean): unknown;
}

/** Context of one command line. Tests replace it to run a command in their own process. */
export interface CliIo {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly environment: NodeJS.ProcessEnv;
  /** Working directory, absolute. */
  readonly cwd: string;
}
