import { escapeJson, formatSize, truncate } from "../../kernel/text.ts";
import type { Baseline, StepBaseline } from "../../baseline/baseline.ts";
import { shortId } from "../../updates/receipts/receipts.ts";
import type { Receipt, ReceiptChange, ReceiptGate } from "../../updates/receipts/receipt.ts";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { oneLine } from "../terminal/print.ts";

/** A baseline and what is known about it. */
interface BaselineStory {
  readonly target: string;
  readonly bytes: number;
  readonly baseline: Baseline;
  /** The newest first. */
  readonly receipts: readonly Receipt[];
}

/** A baseline line by line, safe to print; what is long is cut unless `full`. */
export function baselineLines({ target, bytes, baseline, receipts }: BaselineStory, full: boolean): string[] {
  const { kind, labels, meta, name } = baseline;
  const facts = Object.entries(meta).map(([key, value]) => `${key}=${value}`);
  const head = fieldLines([
    ["baseline", target],
    ["kind", kind],
    ...(baseline.kind === "step" ? stepFields(baseline) : ([["test", baseline.test]] as const)),
    ["name", name],
    ["labels", labels.length === 0 ? undefined : labels.join(", ")],
    ["meta", facts.length === 0 ? undefined : facts.join(", ")],
    ["size", formatSize(bytes)],
    [
      "hashes",
      `fit (${baseline.kind === "step" ? `input ${shortHash(baseline.inputHash)}` : shortHash(baseline.hash)})`,
    ],
  ]);
  const written = receipts.map((receipt) => receiptLine(receipt, target));
  return [
    ...head.map(oneLine),
    ...(baseline.kind === "step" ? stepLines(baseline, full) : titled("value", baseline.value, full)),
    ...sectionLines("receipts", written.map(oneLine)),
  ];
}

function stepFields({ step, workflow }: StepBaseline): readonly (readonly [string, string])[] {
  return [
    ["step", step],
    ["workflow", `${workflow.id} ${workflow.version}`],
  ];
}

function stepLines({ input, output, events, commands, calls }: StepBaseline, full: boolean): string[] {
  return [
    ...titled("input", input, full),
    ...titled("output", output, full),
    ...sectionLines(
      "events",
      events.map((event) => valueLine(event, full)),
    ),
    ...sectionLines(
      "commands",
      commands.map((command) => valueLine(command, full)),
    ),
    ...sectionLines(
      "calls",
      calls.flatMap((call) => callLines(call, full)),
    ).with(0, `${"calls".padEnd(12)}${calls.length === 0 ? "none" : calls.length}`),
  ];
}

function callLines({ adapter, occurrence, returns, request, response, error }: AdapterCall, full: boolean): string[] {
  const again = occurrence === 0 ? "" : ` (identical request ${occurrence + 1})`;
  return [
    oneLine(`${adapter === "" ? "(adapters called as a function)" : adapter}${again}  ${returns}`),
    ...(returns === "property" ? [] : [`  request   ${valueLine(request, full)}`]),
    ...(response === undefined ? [] : [`  response  ${valueLine(response, full)}`]),
    ...(error === undefined ? [] : [`  threw     ${valueLine(error, full)}`]),
  ];
}

function titled(title: string, value: unknown, full: boolean): string[] {
  return [title, ...valueLines(value, full).map((line) => `  ${line}`)];
}

function receiptLine(receipt: Receipt, target: string): string {
  const change = receipt.changes.find((each) => each.target === target);
  const [verb = "", hashes = ""] = change === undefined ? [] : changeWords(change);
  const parts = [
    shortId(receipt),
    receipt.at,
    receipt.kind.padEnd(6),
    receipt.actor.kind,
    verb,
    hashes,
    receipt.reason,
  ];
  return parts.filter((part) => part !== undefined && part !== "").join("  ");
}

/** Maximum number of lines shown of one value by default. */
const MAX_LINES = 24;
const MAX_LINE = 200;

/** A JSON value over as many lines as it needs, safe to print. Unless `full`, long ones are cut and say so. */
function valueLines(value: unknown, full: boolean): string[] {
  const lines = escapeJson(JSON.stringify(value, undefined, 2) ?? "undefined").split("\n");
  if (full) return lines;
  const rendered = lines.slice(0, MAX_LINES).map((line) => truncate(line, MAX_LINE));
  const left = lines.length - rendered.length;
  return left === 0 ? rendered : [...rendered, `… and ${left} more ${left === 1 ? "line" : "lines"}: --full`];
}

/** A JSON value on one line, safe to print; cut unless `full`. */
function valueLine(value: unknown, full: boolean): string {
  const line = escapeJson(JSON.stringify(value) ?? "undefined");
  return full ? line : truncate(line, MAX_LINE);
}

/** Formats names and values, one a line; undefined values are left out. */
function fieldLines(fields: readonly (readonly [name: string, value: string | undefined])[]): string[] {
  return fields.flatMap(([name, value]) => (value === undefined ? [] : `${name.padEnd(12)}${value}`));
}

/** A title with the number of lines below it, which are indented. */
function sectionLines(title: string, lines: readonly string[]): string[] {
  return [title.padEnd(12) + (lines.length === 0 ? "none" : String(lines.length)), ...lines.map((line) => `  ${line}`)];
}

/** A receipt in full, line by line. Not safe to print. */
export function receiptLines(receipt: Receipt): string[] {
  const { versions, runner, actor, gitHead, dirty } = receipt;
  const fields: readonly (readonly [string, string | undefined])[] = [
    ["receipt", receipt.id],
    ["kind", receipt.kind],
    ["at", receipt.at],
    ["run", receipt.run],
    ["transaction", receipt.txId],
    ["actor", `${actor.kind} (${actor.because})`],
    ["reason", receipt.reason],
    ["scope", receipt.scope],
    ["git head", gitHead === undefined ? undefined : `${gitHead}${dirty === true ? " with changes" : ""}`],
    ["runner", runner === undefined ? undefined : `${runner.name} ${runner.version}`],
    ["versions", `veritest ${versions.veritest}, node ${versions.node}, ${versions.platform}`],
  ];
  return [
    ...fieldLines(fields),
    ...sectionLines("gates", receipt.gates.map(gateLine)),
    ...sectionLines("changes", receipt.changes.map(changeLine)),
  ];
}

/** Describes a receipt's change of one baseline: `changed  3f9a0c41d2e7 → 77aa0c41d2e7`. */
function changeWords({
  before,
  after,
}: Pick<ReceiptChange, "before" | "after">): readonly [verb: string, hashes: string] {
  return [verbOf(before, after), `${shortHash(before)} → ${shortHash(after)}`];
}

function gateLine({ name, ok, detail, ms }: ReceiptGate): string {
  return `${ok ? "passed" : "failed"}  ${name}  ${Math.round(ms)} ms${detail === undefined ? "" : `  ${detail}`}`;
}

function changeLine(change: ReceiptChange): string {
  const [verb, hashes] = changeWords(change);
  const origin = change.from === undefined ? "" : `  of run ${change.from}`;
  return `${verb.padEnd(7)}  ${change.target}  ${hashes}${origin}`;
}

function verbOf(before: string | null, after: string | null): string {
  if (before === null) return "added";
  return after === null ? "removed" : "changed";
}

function shortHash(hash: string | null): string {
  return hash === null ? "none" : hash.replace("sha256:", "").slice(0, 12);
}
