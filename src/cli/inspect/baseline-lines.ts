import type { Baseline, StepBaseline } from "../../baseline/baseline.ts";
import type { Receipt } from "../../notes/receipt.ts";
import { shortId } from "../../notes/receipt-chain.ts";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { oneLine } from "../say.ts";
import { fieldLines, sectionLines } from "./field-lines.ts";
import { changeWords } from "./receipt-lines.ts";
import { sizeWords } from "./size-words.ts";
import { valueLine, valueLines } from "./value-lines.ts";

/** A baseline and what is known about it. */
export interface BaselineStory {
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
    ["size", sizeWords(bytes)],
    ["hashes", `fit (${baseline.kind === "step" ? `input ${short(baseline.inputHash)}` : short(baseline.hash)})`],
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
  const again = occurrence === 0 ? "" : ` (call ${occurrence + 1} alike)`;
  return [
    oneLine(`${adapter === "" ? "(the adapter itself)" : adapter}${again}  ${returns}`),
    ...(returns === "property" ? [] : [`  asked     ${valueLine(request, full)}`]),
    ...(response === undefined ? [] : [`  answered  ${valueLine(response, full)}`]),
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

function short(hash: string): string {
  return hash.replace("sha256:", "").slice(0, 12);
}
