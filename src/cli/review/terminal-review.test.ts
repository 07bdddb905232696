// @module-tag deep
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { readReceipts } from "../../updates/receipts/receipts.ts";
import { readPending } from "../../updates/pending/pending-store.ts";
import {
  type PendingChangeOptions,
  type PendingProject,
  changeOf,
  keepPendingChange,
  makeProject,
  pathOf,
  put,
  textOf,
} from "../../../test-support/pending-project.ts";
import { type ReviewItem, reviewItem } from "./review-item.ts";
import { type ReviewState, beginReview } from "./review-state.ts";
import { reviewInTerminal } from "./terminal-review.ts";

const CLI = join(import.meta.dirname, "..", "..", "cli.ts");
const SOCKET = join(realpathSync(mkdtempSync(join(tmpdir(), "veritest-tmux-"))), "socket");

function tmux(...args: readonly string[]): { readonly status: number | null; readonly stdout: string } {
  return spawnSync("tmux", ["-S", SOCKET, "-f", "/dev/null", ...args], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], LANG: "C.UTF-8", TERM: "xterm-256color" },
  });
}

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
if (!hasTmux) process.stderr.write("tmux is not installed: the review is not driven through a terminal here.\n");

const HOSTILE = "\u001b]52;c;ZXZpbA==\u0007\u001b]0;title\u0007\u001b[2J\u001b[31mred\rover\u202egnp.exe\u009b5n";

const CHANGES: Readonly<Record<string, PendingChangeOptions & { readonly from?: unknown }>> = {
  hostile: {
    from: { text: "old" },
    to: { text: HOSTILE, wide: "日本語🙂" },
    shown: [`    text: "old" → ${HOSTILE}`],
    test: HOSTILE,
  },
  receipt: {
    from: { total: "9.00" },
    to: { total: "10.00" },
    shown: ["    cause: code (same requests, same responses, new output)", '    total: "9.00" → "10.00"'],
  },
  new: { to: { total: 1 }, verdict: "missing" },
};

/** Three changes of one kind, with a hostile path, and one by itself. */
const KINDS: typeof CHANGES = {
  ...Object.fromEntries(
    ["one", "two", "three"].map((name) => [
      name,
      {
        from: { [HOSTILE]: "MIT", total: 1 },
        to: { [HOSTILE]: null, total: 1 },
        shown: [`    ${HOSTILE}: "MIT" → null`],
      },
    ]),
  ),
  other: { from: { total: 1 }, to: { total: 2 }, shown: ["    total: 1 → 2"] },
};

function projectWith(changes = CHANGES): PendingProject {
  const project = makeProject();
  for (const [name, { from, ...change }] of Object.entries(changes)) {
    if (from !== undefined) put(project, name, from);
    keepPendingChange(project, name, change);
  }
  return project;
}

/** A shell in a terminal of its own, which the review is started from. */
class Terminal {
  readonly #name: string;
  readonly #project: PendingProject;

  constructor(project: PendingProject, { columns, rows } = { columns: 80, rows: 24 }) {
    this.#name = `t${Math.random().toString(36).slice(2)}`;
    this.#project = project;
    tmux(
      "new-session",
      "-d",
      "-s",
      this.#name,
      "-x",
      String(columns),
      "-y",
      String(rows),
      "env",
      "-i",
      `PATH=${process.env["PATH"] ?? ""}`,
      "PS1=$ ",
      "TERM=screen",
      "LANG=C.UTF-8",
      "sh",
    );
    onTestFinished(() => this.close());
  }

  /** Starts the review; variables are set for it alone. */
  start(variables: Readonly<Record<string, string>> = {}, ...args: readonly string[]): void {
    const { root, environment } = this.#project;
    const all = Object.entries({ ...environment, ...variables }).flatMap(([name, value]) =>
      name === "PATH" ? [] : [`${name}='${value ?? ""}'`],
    );
    const line = [
      "cd",
      `'${root}'`,
      "&&",
      ...all,
      `'${process.execPath}'`,
      `'${CLI}'`,
      "review",
      ...args,
      ";",
      "echo",
      '"code=$?"',
      ">",
      "code;",
      "stty",
      "-a",
      ">",
      "stty",
    ].join(" ");
    writeFileSync(join(root, "start.sh"), line);
    this.keys(`. '${join(root, "start.sh")}'`, "Enter");
  }

  /** Keeps every byte that is sent to the terminal from now on; the file it goes to. */
  record(): string {
    const file = join(this.#project.root, "sent");
    tmux("pipe-pane", "-t", this.#name, `cat > '${file}'`);
    return file;
  }

  keys(...names: readonly string[]): void {
    tmux("send-keys", "-t", this.#name, ...names);
  }

  /** Presses keys, and waits until the screen shows a text. */
  async press(keys: readonly string[], text: string): Promise<void> {
    this.keys(...keys);
    await this.shows(text);
  }

  paste(text: string): void {
    tmux("set-buffer", text);
    tmux("paste-buffer", "-p", "-t", this.#name);
  }

  resize(columns: number, rows: number): void {
    tmux("resize-window", "-t", this.#name, "-x", String(columns), "-y", String(rows));
  }

  /** The screen, with its colours where asked for. */
  screen({ colours = false } = {}): string {
    return tmux("capture-pane", "-p", ...(colours ? ["-e"] : []), "-t", this.#name).stdout;
  }

  /** The screen once it shows a text. */
  async shows(text: string): Promise<string> {
    await until(
      () => this.screen().includes(text),
      () => `No ${JSON.stringify(text)} on the screen:\n${this.screen()}`,
    );
    return this.screen();
  }

  /** The exit code once the review has ended. */
  async ended(): Promise<string> {
    const file = join(this.#project.root, "stty");
    await until(
      () => existsSync(file) && readFileSync(file, "utf8").includes("echo"),
      () => `It has not ended:\n${this.screen()}`,
    );
    return readFileSync(join(this.#project.root, "code"), "utf8").trim();
  }

  /** Whether the terminal takes whole lines again, shows what is typed, and its cursor. */
  state(): { readonly lines: boolean; readonly cursor: string; readonly wraps: string; readonly alternate: string } {
    const stty = readFileSync(join(this.#project.root, "stty"), "utf8");
    const flags = tmux("display-message", "-p", "-t", this.#name, "#{cursor_flag} #{wrap_flag} #{alternate_on}")
      .stdout.trim()
      .split(" ");
    return {
      lines: /(?:^|[ ;])icanon\b/m.test(stty) && /(?:^|[ ;])echo\b/m.test(stty),
      cursor: flags[0] ?? "",
      wraps: flags[1] ?? "",
      alternate: flags[2] ?? "",
    };
  }

  /** The processes that run the command line in this terminal. */
  pids(): number[] {
    const shell = tmux("display-message", "-p", "-t", this.#name, "#{pane_pid}").stdout.trim();
    return spawnSync("pgrep", ["-P", shell], { encoding: "utf8" })
      .stdout.split("\n")
      .filter((line) => line !== "")
      .map(Number);
  }

  close(): void {
    tmux("kill-session", "-t", this.#name);
  }
}

/** Removes line breaks, and the few sequences that the review sends. */
function withoutOwnSequences(sent: string): string {
  return sent.replaceAll(/\u001b\[(?:[HKJ]|[0-9]{1,2}m|\?(?:1049|25|7|2004)[hl])|\r*\n/g, "");
}

/** Starts the review in a terminal, and waits until it shows a text. */
async function openReview(
  project: PendingProject,
  text: string,
  variables?: Readonly<Record<string, string>>,
): Promise<Terminal> {
  const terminal = new Terminal(project);
  terminal.start(variables);
  await terminal.shows(text);
  return terminal;
}

async function until(holds: () => boolean, otherwise: () => string): Promise<void> {
  for (let waited = 0; !holds(); waited += 50) {
    if (waited > 20_000) throw new Error(otherwise());
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}

/** A review in this process, with streams in place of a terminal. */
function inProcess(items: readonly ReviewItem[]): {
  readonly ended: Promise<ReviewState>;
  readonly stdin: PassThrough;
  readonly raw: boolean[];
  readonly written: string[];
} {
  const stdin = new PassThrough();
  const [raw, written]: [boolean[], string[]] = [[], []];
  const input = Object.assign(stdin, { isTTY: true, setRawMode: (mode: boolean) => raw.push(mode) });
  const stdout = { isTTY: true, columns: 80, rows: 24, write: (text: string) => written.push(text) };
  const io = { stdin: input, stdout, stderr: { write: () => undefined }, environment: {}, cwd: "/" };
  return { ended: reviewInTerminal(beginReview(items), io), stdin, raw, written };
}

function itemOf(full: ReviewItem["full"]): ReviewItem {
  const project = makeProject();
  return {
    ...reviewItem(changeOf(project, "one", { to: 1, verdict: "missing" }), { root: project.root, trusted: true }),
    full,
  };
}

const LEFT = "\u001b[0m\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l";

test.each<[string, (stdin: PassThrough) => void]>([
  ["the end of its input", (stdin) => void stdin.end()],
  ["an error of its input", (stdin) => void stdin.destroy(new Error("the terminal is gone"))],
])("%s applies nothing, and restores the terminal", async (_what, end) => {
  const listeners = process.listenerCount("SIGTERM");
  const { ended, stdin, raw, written } = inProcess([itemOf(() => [])]);
  stdin.write("a");
  await new Promise(setImmediate);
  end(stdin);
  expect((await ended).end).toBe("abort");
  expect({ raw, last: written.at(-1), listeners: process.listenerCount("SIGTERM") }).toStrictEqual({
    raw: [true, false],
    last: LEFT,
    listeners,
  });
});

test("restores the terminal before it reports an error", async () => {
  const { ended, stdin, raw, written } = inProcess([
    itemOf(() => {
      throw new Error("a bug");
    }),
  ]);
  stdin.write("d");
  await expect(ended).rejects.toThrow("a bug");
  expect({ raw, last: written.at(-1) }).toStrictEqual({ raw: [true, false], last: LEFT });
});

test("ignores keys with Ctrl or Alt, and unknown sequences", async () => {
  const { ended, stdin } = inProcess([itemOf(() => [])]);
  for (const keys of ["\u0001", "\u001ba", "\u001b[99~", "é", "日", "\t", "\u001b[200~A", "\u001b[201~"])
    stdin.write(keys);
  stdin.write("\u0003");
  expect(await ended).toMatchObject({ at: 0, end: "abort" });
});

test("takes the terminal again after a suspension", async () => {
  const { ended, stdin, raw, written } = inProcess([itemOf(() => [])]);
  const entered = written[0];
  process.emit("SIGCONT", "SIGCONT");
  expect({ raw: [...raw], again: written.lastIndexOf(entered ?? "") > 0 }).toStrictEqual({
    raw: [true, true],
    again: true,
  });
  stdin.write("\u0003");
  expect((await ended).end).toBe("abort");
  expect(raw.at(-1)).toBe(false);
});

const RESTORED = { lines: true, cursor: "1", wraps: "1", alternate: "0" };

describe.runIf(hasTmux)("in a terminal", () => {
  afterAll(() => void tmux("kill-server"));

  test.each([
    { columns: 80, rows: 24 },
    { columns: 200, rows: 50 },
  ])("shows, decides and applies, at $columns×$rows", async (size) => {
    const project = projectWith();
    const terminal = new Terminal(project, size);
    const sent = terminal.record();
    terminal.start();
    const first = await terminal.shows("Ctrl-C apply nothing");
    expect(first.split("\n")[3]).toBe("─".repeat(size.columns));
    // Drawn as text: had it been obeyed, the screen would be empty and these not there to see.
    expect(first).toContain(
      String.raw`\u001b]52;c;ZXZpbA==\u0007\u001b]0;title\u0007\u001b[2J\u001b[31mred\rover\u202egnp.exe\u009b5n`.slice(
        0,
        40,
      ),
    );
    expect(first.split("\n").length).toBeLessThanOrEqual(size.rows + 1);
    terminal.keys("d");
    expect(await terminal.shows("changes only")).toContain("日本語🙂");
    await terminal.press(["d", "r"], "2 of 3");
    await terminal.press(["a"], "3 of 3");
    await terminal.press(["u"], "2 of 3");
    await terminal.press(["a", "s"], "All 3 decided.");
    terminal.keys("Enter");
    expect(await terminal.ended()).toBe("code=0");
    const after = await terminal.shows("1 rejected by human");
    expect(after).toContain("1 accepted by human (VERITEST_ACTOR), receipt ");
    expect(terminal.state()).toStrictEqual(RESTORED);
    terminal.close();
    // Every byte that the terminal was sent: lines, and our own few sequences.
    const rest = withoutOwnSequences(readFileSync(sent, "utf8"));
    expect(rest).toContain("52;c;ZXZpbA==");
    expect(rest).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/);
    expect(readFileSync(pathOf(project, "receipt"), "utf8")).toBe(textOf("receipt", { total: "10.00" }));
    expect(readFileSync(pathOf(project, "hostile"), "utf8")).toBe(textOf("hostile", { text: "old" }));
    expect(readPending(project.paths.state).changes.map(({ target }) => target)).toStrictEqual([
      expect.stringContaining("new"),
    ]);
  });

  test("A accepts a kind after showing an example and its count, and Enter opens it", async () => {
    const project = projectWith(KINDS);
    const terminal = new Terminal(project);
    const sent = terminal.record();
    terminal.start();
    const first = await terminal.shows("A accept all 3");
    expect(first.split("\n")[0]).toMatch(/^1–3 of 4 {2}a\.test\.ts: \*: "MIT" → null$/);
    expect(first).toMatch(/\n {2}3 left of g-[0-9a-f]{6} {2}/);
    expect(first).toContain("for example __baselines__/a.test.ts/");
    terminal.keys("a");
    await terminal.shows("A R S decide on all 3 of this group; Enter shows them one by one.");
    await terminal.press(["Enter"], "1 of 4  ");
    await terminal.press(["r"], "2 left of g-");
    await terminal.press(["u", "u"], "1–3 of 4");
    await terminal.press(["A"], "4 of 4");
    await terminal.press(["u"], "1–3 of 4");
    await terminal.press(["A"], "4 of 4");
    await terminal.press(["s"], "All 4 decided.");
    terminal.keys("Enter");
    expect(await terminal.ended()).toBe("code=0");
    expect(await terminal.shows("3 accepted by human")).toContain("1 change is still pending.");
    expect(terminal.state()).toStrictEqual(RESTORED);
    terminal.close();
    const rest = withoutOwnSequences(readFileSync(sent, "utf8"));
    expect(rest).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/);
    for (const name of ["one", "two", "three"])
      expect(readFileSync(pathOf(project, name), "utf8")).toBe(textOf(name, { [HOSTILE]: null, total: 1 }));
    const [receipt] = readReceipts(project.paths.notes).values;
    expect(receipt?.groups).toStrictEqual([expect.stringMatching(/^g-[0-9a-f]{6}$/)]);
  });

  test("Ctrl-C after accepting a kind applies nothing", async () => {
    const project = projectWith(KINDS);
    const terminal = await openReview(project, "A accept all 3");
    await terminal.press(["A"], "4 of 4");
    terminal.keys("C-c");
    expect(await terminal.ended()).toBe("code=2");
    expect(terminal.state()).toStrictEqual(RESTORED);
    expect(readPending(project.paths.state).changes).toHaveLength(4);
    expect(readFileSync(pathOf(project, "one"), "utf8")).toBe(textOf("one", { [HOSTILE]: "MIT", total: 1 }));
  });

  test("q applies decided changes, and the others stay pending", async () => {
    const project = projectWith();
    const terminal = await openReview(project, "1 of 3");
    await terminal.press(["s"], "2 of 3");
    await terminal.press(["a"], "3 of 3");
    terminal.keys("q");
    expect(await terminal.ended()).toBe("code=0");
    expect(await terminal.shows("2 changes are still pending.")).toContain("1 accepted by human");
    await openReview(project, "1 of 2");
  });

  test("Ctrl-C applies nothing, and restores the terminal", async () => {
    const project = projectWith();
    const terminal = await openReview(project, "1 of 3");
    await terminal.press(["A", "A", "A"], "All 3 decided.");
    terminal.keys("C-c");
    expect(await terminal.ended()).toBe("code=2");
    await terminal.shows("The review was cancelled. All changes are still pending.");
    expect(terminal.state()).toStrictEqual(RESTORED);
    expect(readPending(project.paths.state).changes).toHaveLength(3);
    expect(readFileSync(pathOf(project, "receipt"), "utf8")).toBe(textOf("receipt", { total: "9.00" }));
  });

  test.each([
    "SIGTERM",
    "SIGHUP",
    "SIGINT",
  ] as const)("%s from outside applies nothing, and restores the terminal", async (signal) => {
    const project = projectWith();
    const terminal = await openReview(project, "1 of 3");
    await terminal.press(["A", "A", "A"], "All 3 decided.");
    for (const pid of terminal.pids()) process.kill(pid, signal);
    if (signal === "SIGINT") {
      // The shell takes it as meant for the rest of its line too.
      await until(
        () => !terminal.screen().includes("decided"),
        () => "It goes on.",
      );
      terminal.keys("echo code=130 > code; stty -a > stty", "Enter");
    }
    expect(await terminal.ended()).toBe({ SIGINT: "code=130", SIGTERM: "code=143", SIGHUP: "code=129" }[signal]);
    expect(terminal.state()).toStrictEqual(RESTORED);
    expect(readPending(project.paths.state).changes).toHaveLength(3);
  });

  test("adapts to the size of its terminal, down to a few lines", async () => {
    const terminal = await openReview(projectWith(), "Ctrl-C");
    terminal.resize(40, 8);
    await until(
      () => !terminal.screen().includes("Ctrl-C"),
      () => terminal.screen(),
    );
    expect(await terminal.shows("a accept  r reject  s skip  u undo  ? h…")).toContain("1 of 3");
    terminal.resize(120, 30);
    await terminal.shows("Ctrl-C apply nothing");
    expect(
      terminal
        .screen()
        .split("\n")
        .filter((line) => line === "─".repeat(120)),
    ).toHaveLength(2);
  });

  test("colours added, removed and changed lines, but not with NO_COLOR", async () => {
    const terminal = await openReview(projectWith(), "1 of 3");
    await terminal.press(["s"], "2 of 3");
    expect(terminal.screen({ colours: true })).toMatch(/\u001b\[33m(?:\u001b\[49m)? {4}total: "9\.00" → "10\.00"/);
    const plain = await openReview(projectWith(), "1 of 3", { NO_COLOR: "1" });
    expect(plain.screen({ colours: true })).not.toContain("\u001b[");
  });

  test("ignores pasted text", async () => {
    const project = projectWith();
    const terminal = await openReview(project, "1 of 3");
    terminal.paste("Aq\r");
    await terminal.press(["s"], "2 of 3");
    expect(readPending(project.paths.state).changes).toHaveLength(3);
  });
});
