import { hashText } from "../../kernel/json/hash.ts";
import { isArray, isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { escapeText } from "../../kernel/text.ts";
import { conflictProblems } from "../gates/split-by-scope.ts";
import { type PendingChange, parsePendingChange } from "../pending/pending-change.ts";

/** One part of a run that was split over machines. */
export interface Shard {
  /** Number of the shard, starting at 1. */
  readonly index: number;
  readonly count: number;
}

/** Data of a shard's run in its bundle. */
interface BundleHeader {
  readonly bundle: 1;
  /** The version of veritest that wrote it. */
  readonly veritest: string;
  /** Name that the shards of one run share and no other run has: the CI service's name for the run. */
  readonly runGroup: string;
  readonly shard: Shard;
  /** The commit that was checked out; null outside of git. */
  readonly gitHead: string | null;
  readonly configHash: string;
  readonly run: string;
  /** ISO 8601, in UTC. */
  readonly at: string;
  /** True if all of the shard's tests passed and the run had no other problem. */
  readonly green: boolean;
  /** Why it is not green, a sentence each. */
  readonly problems: readonly string[];
}

/** Updates of one shard of a run, for the machine that applies those of all shards. */
interface Bundle {
  readonly header: BundleHeader;
  readonly changes: readonly PendingChange[];
}

/** Text of a bundle: the header, a line per change, and a last line with the checksum of the lines before it. */
export function bundleText({ header, changes }: Bundle): string {
  const body = [header, ...changes].map((line) => `${JSON.stringify(line)}\n`).join("");
  return `${body}${JSON.stringify({ count: changes.length, sha256: hashText(body) })}\n`;
}

/** Reads a bundle's text; the error is a phrase on what is wrong with it. */
export function parseBundle(text: string): Result<Bundle, string> {
  const lines = text.split("\n");
  const [first = "", ...rest] = lines.slice(0, -2);
  const body = text.slice(0, text.length - (lines.at(-2)?.length ?? 0) - 1);
  const trailer = parsedJson(lines.at(-2) ?? "");
  if (
    lines.at(-1) !== "" ||
    !isPlainObject(trailer) ||
    trailer["sha256"] !== hashText(body) ||
    trailer["count"] !== rest.length
  ) {
    return err("it is incomplete or modified (checksum mismatch)");
  }
  const header = parsedJson(first);
  if (!isHeader(header)) return err("it isn't a bundle of this version of veritest");
  const read = rest.map(parsePendingChange);
  const changes = read.flatMap((change) => (change.ok ? [change.value] : []));
  const bad = read.find((change) => !change.ok);
  return bad === undefined || bad.ok
    ? ok({ header, changes })
    : err(`it has a change that can't be read: ${bad.error}`);
}

function isHeader(value: unknown): value is BundleHeader {
  if (!isPlainObject(value) || value["bundle"] !== 1 || typeof value["green"] !== "boolean") return false;
  const { shard, gitHead, problems } = value;
  const texts = ["veritest", "runGroup", "configHash", "run", "at"].every((name) => typeof value[name] === "string");
  const lists = isArray(problems) && problems.every((problem) => typeof problem === "string");
  return texts && lists && (gitHead === null || typeof gitHead === "string") && isShard(shard);
}

function isShard(value: unknown): value is Shard {
  if (!isPlainObject(value)) return false;
  const { index, count } = value;
  return (
    Number.isSafeInteger(index) && Number.isSafeInteger(count) && Number(index) >= 1 && Number(index) <= Number(count)
  );
}

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

/** A file and its bundle. */
interface Named extends Bundle {
  readonly name: string;
}

/** Header fields that the bundles of one run share, with the message if they differ. */
const SHARED: readonly (readonly [of: (header: BundleHeader) => string | number | null, otherwise: string])[] = [
  [({ shard }) => shard.count, "are of runs with different numbers of shards"],
  [({ veritest }) => veritest, "were written by different versions of veritest"],
  [({ runGroup }) => runGroup, "are of different runs"],
  [({ gitHead }) => gitHead, "are of different commits"],
  [({ configHash }) => configHash, "are of different configurations"],
];

/**
 * Reads the bundles of all shards of a run. Each must be there once, complete and green. All must be of the same run,
 * commit, configuration and version of veritest. No case may have two results. The errors are one sentence per problem.
 */
export function readBundles(files: readonly BundleFile[]): Result<BundleGroup, readonly string[]> {
  const read = files.map(({ name, text }) => ({ name: escapeText(name), bundle: parseBundle(text) }));
  const damaged = read.flatMap(({ name, bundle }) => (bundle.ok ? [] : [`Cannot read ${name}: ${bundle.error}.`]));
  const bundles = read.flatMap(({ name, bundle }) => (bundle.ok ? [{ name, ...bundle.value }] : []));
  const [first] = bundles;
  if (first === undefined)
    return err(
      damaged.length > 0
        ? damaged
        : ["No bundle was passed. Pass the bundles of all shards: npx veritest commit <bundles>"],
    );
  const changes = bundles.flatMap((bundle) => bundle.changes);
  const problems = [
    ...damaged,
    ...sharedProblems(bundles),
    ...shardProblems(bundles, damaged.length > 0),
    ...bundles.flatMap(redProblems),
    ...conflictProblems(changes),
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

/** A damaged file may be the missing shard, so only its damage is reported. */
function shardProblems(bundles: readonly Named[], damaged: boolean): string[] {
  const indices = bundles.map(({ header }) => header.shard.index);
  const count = bundles[0]?.header.shard.count ?? 0;
  const twice = bundles.filter(({ header }, at) => indices.indexOf(header.shard.index) !== at);
  const missing = Math.max(0, count - new Set(indices).size);
  const absent =
    missing === 0 || damaged
      ? []
      : [
          `${missing} of ${count} shards ${missing === 1 ? "is" : "are"} missing: ${firstMissing(indices, count)}. ` +
            "Pass the bundles of all shards: npx veritest commit <bundles>",
        ];
  return [
    ...twice.map(({ name, header }) => `Shard ${header.shard.index} is listed twice: ${name} is the second.`),
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
  if (!green) return [`${name} comes from a shard that failed: ${problems.join(" ") || "it doesn't report a reason."}`];
  return changes.every(({ passed }) => passed)
    ? []
    : [`${name} contains changes from a failed test. Fix the test, and run its shard again.`];
}
