/** A stream of text that a command writes to. */
export interface Output {
  write(text: string): unknown;
  /** Whether it is a terminal. */
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** What a command reads keys or text from. */
export interface Input extends NodeJS.ReadableStream {
  /** Whether it is a terminal. */
  readonly isTTY?: boolean | undefined;
  /** Only of a terminal: gives each key as it is pressed. */
  setRawMode?(mode: boolean): unknown;
}

/** The world of one command line: what a test replaces to run a command in its own process. */
export interface CliIo {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly environment: NodeJS.ProcessEnv;
  /** Where the command was started, absolute. */
  readonly cwd: string;
}
