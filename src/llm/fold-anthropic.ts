import type { StreamFold } from "./answer.ts";
import { fieldAt, textAt } from "./read-body.ts";

interface Block {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  text: string;
  /** A tool's input: JSON text piece by piece, or at once with the block's start. */
  input: unknown;
}

/** Puts the events of a streamed Anthropic message together. */
export function foldAnthropic(): StreamFold {
  const blocks = new Map<unknown, Block>();
  let message: unknown;
  let end: unknown;
  let usage: Record<string, unknown> = {};
  let failure: unknown;
  const addDelta = (event: unknown): string => {
    const block = blocks.get(fieldAt(event, "index"));
    const text = textAt(event, "delta", "text");
    if (block === undefined) return text;
    block.text += text;
    const json = textAt(event, "delta", "partial_json");
    if (json !== "") block.input = typeof block.input === "string" ? block.input + json : json;
    return text;
  };
  return {
    add: (event) => {
      switch (textAt(event, "type")) {
        case "message_start":
          message = fieldAt(event, "message");
          usage = mergeCounts(usage, fieldAt(message, "usage"));
          return "";
        case "content_block_start": {
          const block = blockOf(fieldAt(event, "content_block"));
          blocks.set(fieldAt(event, "index"), block);
          return block.text;
        }
        case "content_block_delta":
          return addDelta(event);
        case "message_delta":
          end = fieldAt(event, "delta");
          // Counts here are totals so far, and those that did not change may be missing.
          usage = mergeCounts(usage, fieldAt(event, "usage"));
          return "";
        case "error":
          failure = fieldAt(event, "error");
          return "";
        default:
          return "";
      }
    },
    body: () => {
      if (failure !== undefined) return { error: failure };
      if (textAt(end, "stop_reason") === "") return undefined;
      const { id, model } = { id: textAt(message, "id"), model: textAt(message, "model") };
      const reason = { stop_reason: textAt(end, "stop_reason"), stop_details: fieldAt(end, "stop_details") };
      return { id, model, content: [...blocks.values()], ...reason, usage };
    },
  };
}

function blockOf(block: unknown): Block {
  return {
    type: textAt(block, "type"),
    id: textAt(block, "id"),
    name: textAt(block, "name"),
    text: textAt(block, "text"),
    input: fieldAt(block, "input"),
  };
}

function mergeCounts(before: Record<string, unknown>, counts: unknown): Record<string, unknown> {
  if (typeof counts !== "object" || counts === null) return before;
  const given = Object.entries(counts).filter(([, count]) => count !== null && count !== undefined);
  return { ...before, ...Object.fromEntries(given) };
}
