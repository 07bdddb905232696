import packageJson from "../../../package.json" with { type: "json" };
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import type { Actor } from "./actor.ts";
import type { LogFields } from "./log-file.ts";

/** Kinds of receipts: `run` is a verified commit in a worktree, the others are transactions over baselines. */
const RECEIPT_KINDS = ["commit", "accept", "reject", "discard", "hold", "run"] as const;

/** Kind of a receipt. */
export type ReceiptKind = (typeof RECEIPT_KINDS)[number];

/** One check between a pending update and its baseline. */
export interface ReceiptGate {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
  /** Duration in milliseconds. */
  readonly ms: number;
}

/** One file before and after. `null` if it didn't or doesn't exist. */
export interface ReceiptChange {
  /** With forward slashes, relative to the root. */
  readonly target: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Stored run that it was made from, if any: `claims/claim-17`. */
  readonly from?: string | undefined;
  /** Set if it changed requests and kept the recorded responses. */
  readonly kept?: "responses" | undefined;
}

/** A program and its version. */
export interface ReceiptRunner {
  readonly name: string;
  readonly version: string;
}

/** Versions of the programs that wrote the receipt. */
export interface ReceiptVersions {
  readonly veritest: string;
  readonly node: string;
  /** Such as `linux-x64`. */
  readonly platform: string;
}

/** Content of a receipt. */
export interface ReceiptDraft {
  readonly txId: string;
  readonly kind: ReceiptKind;
  /** ISO 8601, in UTC. */
  readonly at: string;
  readonly run: string;
  readonly actor: Actor;
  readonly reason?: string;
  readonly scope?: "run" | "file" | "test";
  readonly gitHead?: string;
  /** True if the work tree had uncommitted changes. */
  readonly dirty?: boolean;
  readonly gates: readonly ReceiptGate[];
  readonly changes: readonly ReceiptChange[];
  readonly runner?: ReceiptRunner;
  /** Ids of the groups that were accepted or rejected as a group, by one example. */
  readonly groups?: readonly string[];
  readonly versions: ReceiptVersions;
}

/** Stored receipt. */
export type Receipt = ReceiptDraft & LogFields;

type Check = (value: unknown) => boolean;

const REQUIRED: Readonly<Record<string, Check>> = {
  txId: isText,
  kind: (value) => RECEIPT_KINDS.some((kind) => kind === value),
  at: isText,
  run: isText,
  actor: hasFields({ kind: isOneOf("human", "agent", "ci"), because: isText }),
  gates: isListOf(hasFields({ name: isText, ok: isFlag, ms: isNumber }, { detail: isText })),
  changes: isListOf(
    hasFields(
      { target: isText, before: isTextOrNull, after: isTextOrNull },
      { from: isText, kept: isOneOf("responses") },
    ),
  ),
  versions: hasFields({ veritest: isText, node: isText, platform: isText }),
};

const OPTIONAL: Readonly<Record<string, Check>> = {
  reason: isText,
  scope: isOneOf("run", "file", "test"),
  gitHead: isText,
  dirty: isFlag,
  runner: hasFields({ name: isText, version: isText }),
  groups: isListOf(isText),
};

const isDraft = hasFields(REQUIRED, OPTIONAL);

/** True if a value has the fields of a receipt draft. Further fields are fine. */
export function isReceiptDraft(value: unknown): value is ReceiptDraft {
  return isDraft(value);
}

/** Returns true if the data of a line with a correct checksum is a receipt. */
export function isReceipt(value: unknown): value is Receipt {
  return isReceiptDraft(value);
}

function hasFields(required: Readonly<Record<string, Check>>, optional: Readonly<Record<string, Check>> = {}): Check {
  return (value) => {
    if (!isPlainObject(value)) return false;
    const own = (name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined);
    return (
      Object.entries(required).every(([name, is]) => is(own(name))) &&
      Object.entries(optional).every(([name, is]) => own(name) === undefined || is(own(name)))
    );
  };
}

function isListOf(is: Check): Check {
  return (value) => Array.isArray(value) && value.every(is);
}

function isOneOf(...texts: readonly string[]): Check {
  return (value) => texts.some((text) => text === value);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
}

function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

function isNumber(value: unknown): boolean {
  return typeof value === "number";
}

/** The versions of veritest and of what it runs on, as receipts keep them. */
export function versions(): ReceiptVersions {
  return {
    veritest: packageJson.version,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  };
}
