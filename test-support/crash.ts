import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { hashText } from "../src/kernel/json/hash.ts";
import { isPlainObject } from "../src/kernel/json/plain-data.ts";
import { readReceipts } from "../src/updates/receipts/receipts.ts";
import { type ProjectPaths, projectPaths } from "../src/kernel/files/project-paths.ts";
import { type Prepared, filesIn } from "../src/updates/commit/journal.ts";

const NAMES = ["a", "b"] as const;

/** What a commit of two updates left that died between its COMMIT and the first rename. */
export class Crash {
  readonly places: ProjectPaths;
  readonly directory: string;
  readonly files: ReturnType<typeof filesIn>;

  constructor() {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-recover-")));
    this.places = projectPaths(root, { XDG_STATE_HOME: join(root, ".home") });
    this.directory = join(root, "__baselines__", "group");
    this.files = filesIn(join(this.places.state, "tx", "t"));
    for (const directory of [this.directory, this.files.directory]) mkdirSync(directory, { recursive: true });
    for (const name of NAMES) this.put(name, "old");
    for (const [index] of NAMES.entries()) writeFileSync(join(this.files.directory, `old-${index}`), "old");
    for (const [index] of NAMES.entries()) writeFileSync(this.temporary(index), "new");
    const text = `${JSON.stringify(this.#prepared())}\n`;
    writeFileSync(this.files.prepared, text);
    writeFileSync(this.files.commit, hashText(text));
  }

  path(name: string): string {
    return join(this.directory, `${name}.json`);
  }

  temporary(index: number): string {
    return join(this.directory, `.tx-t-${index}`);
  }

  put(name: string, text: string): void {
    writeFileSync(this.path(name), text);
  }

  /** Does the first rename. */
  applyFirst(): this {
    renameSync(this.temporary(0), this.path("a"));
    return this;
  }

  texts(): Record<string, string> {
    return Object.fromEntries(
      readdirSync(this.directory).map((name) => [name, readFileSync(join(this.directory, name), "utf8")]),
    );
  }

  receipts(): number {
    return readReceipts(this.places.notes).values.length;
  }

  /** Has the record say something else, as one that came with an archive may; as valid as any other by its hash. */
  say(change: (prepared: Record<string, unknown>, operation: Record<string, unknown>) => void): this {
    const prepared: Record<string, unknown> = structuredClone({ ...this.#prepared() });
    const operations = prepared["operations"];
    if (!Array.isArray(operations) || !isPlainObject(operations[0])) throw new Error("a record has operations");
    change(prepared, operations[0]);
    const text = `${JSON.stringify(prepared)}\n`;
    writeFileSync(this.files.prepared, text);
    if (existsSync(this.files.commit)) writeFileSync(this.files.commit, hashText(text));
    return this;
  }

  #prepared(): Prepared {
    const operations = NAMES.map((name, index) => ({
      root: dirname(this.directory),
      path: this.path(name),
      before: hashText("old"),
      after: hashText("new"),
      temporary: this.temporary(index),
      image: join(this.files.directory, `old-${index}`),
    }));
    const receipt = {
      kind: "commit",
      at: "2026-01-01T00:00:00.000Z",
      run: "run",
      actor: { kind: "human", because: "a test" },
      gates: [],
      versions: { veritest: "0.0.0", node: "24.0.0", platform: "linux-x64" },
      txId: "t",
      changes: [],
    } as const;
    return { version: 1, id: "t", generation: 1, operations, directories: [], receipt };
  }
}
