import { hashText } from "../base/hash.ts";
import { isArray } from "../base/plain-data.ts";
import { isPlainObject } from "../base/plain-data.ts";
import { type Result, err, ok } from "../base/result.ts";
import { type PendingChange, parsePendingChange } from "./pending-change.ts";

/** One part of a run that was split over machines. */
export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly count: number;
}

/** What a bundle says of its shard's run. */
export interface BundleHeader {
  readonly bundle: 1;
  /** The version of veritest that wrote it. */
  readonly veritest: string;
  /** What the shards of one run have in common and no other run has: what the CI service calls the run. */
  readonly runGroup: string;
  readonly shard: Shard;
  /** The commit that was checked out; null outside of git. */
  readonly gitHead: string | null;
  readonly configHash: string;
  readonly run: string;
  /** ISO 8601, in UTC. */
  readonly at: string;
  /** True when all of the shard's tests passed and nothing else went wrong. */
  readonly green: boolean;
  /** Why it is not green, a sentence each. */
  readonly problems: readonly string[];
}

/** What one shard of a run proposes, as it goes from its machine to the one that settles them all. */
export interface Bundle {
  readonly header: BundleHeader;
  readonly changes: readonly PendingChange[];
}

/** A bundle as text: the header, a line per change, and a last line that vouches for all before it. */
export function bundleText({ header, changes }: Bundle): string {
  const body = [header, ...changes].map((line) => `${JSON.stringify(line)}\n`).join("");
  return `${body}${JSON.stringify({ count: changes.length, sha256: hashText(body) })}\n`;
}

/** Reads a bundle's text; the error is a phrase on what is wrong with it. */
export function parseBundle(text: string): Result<Bundle, string> {
  const lines = text.split("\n");
  const [first = "", ...rest] = lines.slice(0, -2);
  const body = text.slice(0, text.length - (lines.at(-2)?.length ?? 0) - 1);
  const trailer = parsed(lines.at(-2) ?? "");
  if (
    lines.at(-1) !== "" ||
    !isPlainObject(trailer) ||
    trailer["sha256"] !== hashText(body) ||
    trailer["count"] !== rest.length
  ) {
    return err("it is cut off or was changed: its last line does not vouch for the others");
  }
  const header = parsed(first);
  if (!isHeader(header)) return err("it is no bundle of this version of veritest");
  const read = rest.map(parsePendingChange);
  const changes = read.flatMap((change) => (change.ok ? [change.value] : []));
  const bad = read.find((change) => !change.ok);
  return bad === undefined || bad.ok ? ok({ header, changes }) : err(`a change of it cannot be read: ${bad.error}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Cut off, or no bundle at all: told by the caller.
    return undefined;
  }
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
