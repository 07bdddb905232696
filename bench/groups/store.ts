import { hash } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hashValueSync } from "../../src/kernel/json/hash.ts";
import { type StoredCase, openLibrary } from "../../src/baseline/baseline-library.ts";
import type { BaselineUpdate } from "../../src/baseline/baseline.ts";
import { versions } from "../../src/updates/receipts/receipt.ts";
import { projectPaths } from "../../src/kernel/files/project-paths.ts";
import { type CommitContext, commitUpdates } from "../../src/updates/commit/commit-updates.ts";
import type { BenchCase, Contender, Role } from "../bench-case.ts";
import type { BenchGroup, Row } from "../bench-group.ts";
import { type StoredValues, readAll, storeValues, valueText } from "../data/stored-values.ts";
import { member } from "../load-peer.ts";
import { measureRow } from "../measure.ts";

const COUNT = 1000;

/** Reads and writes baselines of 2 KB. */
export const store: BenchGroup = {
  name: "store",
  question: "What does it cost to read, find and update 1,000 baselines of 2 KB?",
  run: async () => {
    const stored = storeValues(COUNT);
    const from = process.cwd();
    // Where tests run: baselines lie below the working directory.
    process.chdir(dirname(stored.root));
    try {
      const rows: Row[] = [];
      // Updating comes last: it leaves other texts.
      for (const benchCase of [readThem(stored), findOne(stored), leaveThem(stored), updateThem(stored)])
        rows.push(await measureRow(benchCase));
      return rows;
    } finally {
      process.chdir(from);
      stored.remove();
    }
  },
};

function readThem({ root, test, paths }: StoredValues): BenchCase {
  const directory = dirname(paths[0] ?? "");
  return {
    name: "read 1,000, checked",
    contenders: [
      counter("veritest", "ours", () => [...openLibrary(root).all(test)].filter(isWhole).length),
      counter(
        "read and parse",
        "limit",
        () =>
          readdirSync(directory).map((name): unknown => JSON.parse(readFileSync(join(directory, name), "utf8"))).length,
      ),
      counter(
        "read, parse, write and hash",
        "limit",
        () =>
          readdirSync(directory).filter((name) =>
            isNativelyWhole(JSON.parse(readFileSync(join(directory, name), "utf8"))),
          ).length,
      ),
    ],
  };
}

function isWhole({ baseline }: StoredCase): boolean {
  return baseline.ok && baseline.value.kind === "value" && hashValueSync(baseline.value.value) === baseline.value.hash;
}

/** The least that any check of a stored hash costs: it is of canonical JSON, so the value has to be written again. */
function isNativelyWhole(stored: unknown): boolean {
  return `sha256:${hash("sha256", JSON.stringify(member(stored, "value")), "hex")}` === member(stored, "hash");
}

/** A commit of a person in a project outside of git. */
function contextOf(root: string): CommitContext {
  const project = dirname(root);
  return {
    paths: projectPaths(project, { XDG_STATE_HOME: join(project, ".state") }),
    receiptHead: {
      kind: "commit",
      at: new Date(0).toISOString(),
      run: "bench",
      actor: { kind: "human", because: "bench" },
      gates: [],
      versions: versions(),
    },
  };
}

function findOne({ root, test, names, paths }: StoredValues): BenchCase {
  const [name = "", path = ""] = [names.at(-1), paths.at(-1)];
  const found = (): number => (openLibrary(root).find(test, { name }, name).stored?.baseline.ok === true ? COUNT : 0);
  const parsed = (): number => (typeof JSON.parse(readFileSync(path, "utf8")) === "object" ? COUNT : 0);
  return {
    name: "find 1 of 1,000",
    contenders: [counter("veritest", "ours", found), counter("read and parse that file", "limit", parsed)],
  };
}

function leaveThem({ root, test, paths, texts }: StoredValues): BenchCase {
  const proposals = paths.map(
    (path, index): BaselineUpdate => ({
      kind: "update",
      root,
      group: test,
      path,
      before: texts[index],
      after: texts[index],
    }),
  );
  const unwritten = (): number => {
    const commitment = commitUpdates(proposals, contextOf(root));
    return commitment.kind === "committed" && commitment.written.length === 0 ? COUNT : 0;
  };
  const same = (): number => readAll(paths).filter((text, index) => text === texts[index]).length;
  return {
    name: "1,000 unchanged",
    contenders: [counter("veritest", "ours", unwritten), counter("read and compare", "limit", same)],
  };
}

function updateThem({ root, test, names, paths, texts }: StoredValues): BenchCase {
  const generations = [texts, names.map((name) => valueText(test, name, 1))] as const;
  const state: { generation: 0 | 1 } = { generation: 0 };
  const turn = (): { readonly before: readonly string[]; readonly after: readonly string[] } => {
    const before = generations[state.generation];
    state.generation = state.generation === 0 ? 1 : 0;
    return { before, after: generations[state.generation] };
  };
  const update = (): number => {
    const { before, after } = turn();
    const proposals = paths.map(
      (path, index): BaselineUpdate => ({
        kind: "update",
        root,
        group: test,
        path,
        before: before[index],
        after: after[index],
      }),
    );
    const commitment = commitUpdates(proposals, contextOf(root));
    return commitment.kind === "committed" ? commitment.written.length : 0;
  };
  const rename = (): number => {
    const { after } = turn();
    for (const [index, path] of paths.entries()) {
      writeFileSync(`${path}.tmp`, after[index] ?? "");
      renameSync(`${path}.tmp`, path);
    }
    return paths.length;
  };
  const sync = (): number => {
    const { after } = turn();
    for (const [index, path] of paths.entries()) {
      const descriptor = openSync(path, "w");
      writeFileSync(descriptor, after[index] ?? "");
      fsyncSync(descriptor);
      closeSync(descriptor);
    }
    return paths.length;
  };
  const written = (): boolean => readFileSync(paths.at(-1) ?? "", "utf8") === generations[state.generation].at(-1);
  return {
    name: "update 1,000",
    contenders: [
      counter("veritest", "ours", update, written),
      counter("write and rename", "limit", rename, written),
      counter("write and sync each", "limit", sync, written),
    ],
  };
}

// oxlint-disable-next-line eslint/max-params
function counter(name: string, role: Role, run: () => number, isDone: () => boolean = () => true): Contender {
  return {
    name,
    role,
    run,
    problemOf: (found) => (found === COUNT && isDone() ? undefined : `handled ${String(found)} of ${COUNT}`),
  };
}
