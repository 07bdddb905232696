import { isPlainObject } from "../base/plain-data.ts";
import { RECEIPT_KINDS, type ReceiptDraft } from "./receipt.ts";

type Check = (value: unknown) => boolean;

const REQUIRED: Readonly<Record<string, Check>> = {
  txId: isText,
  kind: (value) => RECEIPT_KINDS.some((kind) => kind === value),
  at: isText,
  run: isText,
  actor: hasFields({ kind: isOneOf("human", "agent", "ci"), because: isText }),
  gates: isListOf(hasFields({ name: isText, ok: isFlag, ms: isNumber }, { detail: isText })),
  changes: isListOf(hasFields({ target: isText, before: isTextOrNull, after: isTextOrNull })),
  versions: hasFields({ veritest: isText, node: isText, platform: isText }),
};

const OPTIONAL: Readonly<Record<string, Check>> = {
  reason: isText,
  scope: isOneOf("run", "file", "test"),
  gitHead: isText,
  dirty: isFlag,
  runner: hasFields({ name: isText, version: isText }),
};

const isDraft = hasFields(REQUIRED, OPTIONAL);

/** Tells whether a value has the fields of a receipt that a settlement gives; more fields are fine. */
export function isReceiptDraft(value: unknown): value is ReceiptDraft {
  return isDraft(value);
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
