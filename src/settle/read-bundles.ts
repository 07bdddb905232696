import { type Result, err, ok } from "../base/result.ts";
import { escapeText } from "../base/text.ts";
import { type Bundle, type BundleHeader, parseBundle } from "./bundle.ts";
import type { PendingChange } from "./pending-change.ts";
import { answerProblems } from "./split-by-scope.ts";

/** All shards of one run. */
export interface BundleGroup extends Pick<BundleHeader, "veritest" | "runGroup" | "gitHead" | "configHash"> {
  readonly count: number;
  readonly changes: readonly PendingChange[];
}

/** A bundle's file. */
export interface BundleFile {
  /** For messages only. */
  readonly name: string;
  readonly text: string;
}

/** A file and what it holds. */
interface Named extends Bundle {
  readonly name: string;
}

/** What the bundles of one run have in common, and how it is said that they have not. */
const SHARED: readonly (readonly [of: (header: BundleHeader) => string | number | null, otherwise: string])[] = [
  [({ shard }) => shard.count, "are of runs with different numbers of shards"],
  [({ veritest }) => veritest, "were written by different versions of veritest"],
  [({ runGroup }) => runGroup, "are of different runs"],
  [({ gitHead }) => gitHead, "are of different commits"],
  [({ configHash }) => configHash, "are of different configurations"],
];

/**
 * Reads the bundles of all shards of a run: each present once, whole, of the same run, commit, configuration and
 * version of veritest, all green, no case with two results. The errors are one sentence for each thing that is wrong.
 */
export function readBundles(files: readonly BundleFile[]): Result<BundleGroup, readonly string[]> {
  const read = files.map(({ name, text }) => ({ name: escapeText(name), bundle: parseBundle(text) }));
  const damaged = read.flatMap(({ name, bundle }) => (bundle.ok ? [] : [`Cannot read ${name}: ${bundle.error}.`]));
  const bundles = read.flatMap(({ name, bundle }) => (bundle.ok ? [{ name, ...bundle.value }] : []));
  const [first] = bundles;
  if (first === undefined) return err(damaged.length > 0 ? damaged : ["No bundle was given."]);
  const changes = bundles.flatMap((bundle) => bundle.changes);
  const problems = [
    ...damaged,
    ...sharedProblems(bundles),
    ...shardProblems(bundles, damaged.length > 0),
    ...bundles.flatMap(redProblems),
    ...answerProblems(changes),
  ];
  if (problems.length > 0) return err(problems.map(escapeText));
  const { veritest, runGroup, gitHead, configHash, shard } = first.header;
  return ok({ veritest, runGroup, gitHead, configHash, count: shard.count, changes });
}

function sharedProblems(bundles: readonly Named[]): string[] {
  return SHARED.flatMap(([of, otherwise]) =>
    new Set(bundles.map(({ header }) => of(header))).size > 1 ? [`The bundles ${otherwise}.`] : [],
  );
}

/** A damaged file may be the missing shard: then its damage says enough. */
function shardProblems(bundles: readonly Named[], damaged: boolean): string[] {
  const indices = bundles.map(({ header }) => header.shard.index);
  const count = bundles[0]?.header.shard.count ?? 0;
  const twice = bundles.filter(({ header }, at) => indices.indexOf(header.shard.index) !== at);
  const missing = Math.max(0, count - new Set(indices).size);
  const absent =
    missing === 0 || damaged
      ? []
      : [`${missing} of ${count} shards ${missing === 1 ? "is" : "are"} missing: ${firstMissing(indices, count)}.`];
  return [
    ...twice.map(({ name, header }) => `Shard ${header.shard.index} is there twice: ${name} is the second.`),
    ...absent,
  ];
}

function firstMissing(indices: readonly number[], count: number): string {
  const present = new Set(indices);
  const named: number[] = [];
  // A header may claim any number of shards: only as far as five of the missing ones.
  for (let index = 1; index <= count && named.length < 5; index += 1) if (!present.has(index)) named.push(index);
  const more = count - present.size - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function redProblems({ name, header, changes }: Named): string[] {
  const { green, problems } = header;
  if (!green) return [`${name} is of a shard that failed: ${problems.join(" ") || "it does not say why."}`];
  return changes.every(({ passed }) => passed) ? [] : [`${name} has changes of a test that failed.`];
}
