import { emitKeypressEvents } from "node:readline";
import { usesColors } from "../../explain/uses-colors.ts";
import type { CliIo } from "../terminal/io.ts";
import { paint } from "./paint.ts";
import { type Size, pageOf, renderReview } from "./render-review.ts";
import { type ReviewState, reduce } from "./review-state.ts";

// Enters the alternate screen, hides the cursor, and disables wrapping: with a wrong width a line is cut instead.
// Bracketed paste marks pasted text, so that a clipboard can't decide a change.
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h";
const LEAVE = "\u001b[0m\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l";

const ENDING_SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Key event of `node:readline`. */
interface Key {
  readonly sequence?: string | undefined;
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
}

/**
 * Runs a review on a terminal until it ends. Restores the terminal after every end: a key, the end of the input, a
 * signal (passed on afterwards), or an error. Only a key can end it with `apply`.
 */
export async function reviewInTerminal(state: ReviewState, io: CliIo): Promise<ReviewState> {
  const review = new TerminalReview(state, io);
  try {
    return await review.run();
  } finally {
    review.close();
  }
}

class TerminalReview {
  #state: ReviewState;
  readonly #io: CliIo;
  #drawing = false;
  #pasting = false;
  readonly #closers: (() => void)[] = [];
  #done: (state: ReviewState) => void = () => undefined;
  #failed: (thrown: unknown) => void = () => undefined;

  constructor(state: ReviewState, io: CliIo) {
    this.#state = state;
    this.#io = io;
  }

  async run(): Promise<ReviewState> {
    const { stdin } = this.#io;
    return new Promise((done, failed) => {
      [this.#done, this.#failed] = [done, failed];
      emitKeypressEvents(stdin);
      this.#listen(stdin, "keypress", (text, key = {}) => this.#guard(() => this.#onKey(nameOf(text, key))));
      for (const gone of ["end", "close", "error"]) this.#listen(stdin, gone, () => this.#abort());
      this.#listen(process, "SIGWINCH", () => this.#guard(() => this.#draw()));
      this.#listen(process, "SIGCONT", () => this.#guard(() => this.#resume()));
      for (const signal of ENDING_SIGNALS) this.#listen(process, signal, () => this.#onSignal(signal));
      this.#listen(process, "exit", () => this.close());
      this.#guard(() => this.#enter());
    });
  }

  /** Restores the terminal. A second call does nothing. */
  close(): void {
    for (const close of this.#closers.splice(0)) close();
    this.#leave();
  }

  #listen(emitter: NodeJS.EventEmitter, event: string, listener: (text: string | undefined, key?: Key) => void): void {
    emitter.on(event, listener);
    this.#closers.push(() => emitter.removeListener(event, listener));
  }

  #onKey(key: string): void {
    if (key === "paste-start" || key === "paste-end") this.#pasting = key === "paste-start";
    // A paste may lack its end: Ctrl-C has to work.
    if (this.#pasting && key !== "ctrl-c") return;
    this.#state = reduce(this.#state, key, pageOf(this.#state, this.#size()));
    if (this.#state.end === undefined) this.#draw();
    else this.#done(this.#state);
  }

  /** Takes the terminal again after a suspension, unless the review has ended. */
  #resume(): void {
    if (this.#state.end === undefined) this.#enter();
  }

  #onSignal(signal: NodeJS.Signals): void {
    this.close();
    this.#abort();
    process.kill(process.pid, signal);
  }

  #abort(): void {
    this.#state = { ...this.#state, end: "abort" };
    this.#done(this.#state);
  }

  #enter(): void {
    const { stdin, stdout } = this.#io;
    stdin.setRawMode?.(true);
    stdin.resume();
    stdout.write(ENTER);
    this.#drawing = true;
    this.#draw();
  }

  #leave(): void {
    if (!this.#drawing) return;
    this.#drawing = false;
    const { stdin, stdout } = this.#io;
    stdin.setRawMode?.(false);
    stdin.pause();
    stdout.write(LEAVE);
  }

  #draw(): void {
    if (!this.#drawing) return;
    const colour = usesColors(true, this.#io.environment);
    const size = this.#size();
    const lines = renderReview(this.#state, size, Date.now());
    // Clears each line before it's written: after a full line, the cursor is still on its last cell.
    const screen = lines.map((line) => `\u001b[K${paint(line, colour)}`).join("\r\n");
    this.#io.stdout.write(`\u001b[H${screen}${lines.length < size.rows ? "\r\n\u001b[J" : ""}`);
  }

  #size(): Size {
    const { columns = 0, rows = 0 } = this.#io.stdout;
    // Some pseudo-terminals report no size.
    return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#failed(thrown);
    }
  }
}

/** Returns the review's name of a key: its character, or a name; empty for unknown keys. */
function nameOf(
  text: string | undefined,
  { sequence = text ?? "", name = "", ctrl = false, meta = false }: Key,
): string {
  if (ctrl) return name === "c" ? "ctrl-c" : "";
  if (meta) return "";
  if (name === "enter") return "return";
  return /^[!-~]$/.test(sequence) ? sequence : name;
}
