import { stableStringify } from "../../src/kernel/json/canonical-json.ts";
import type { Contender, Role } from "../bench-case.ts";
import type { BenchGroup, Row } from "../bench-group.ts";
import { documentOf } from "../data/entities.ts";
import { stepResult } from "../data/step-result.ts";
import { transcript } from "../data/transcript.ts";
import { type PeerFunction, loadPeer } from "../load-peer.ts";
import { measureRow } from "../measure.ts";

/** Values of four sizes and shapes, by what they are called. */
export const CANONICAL_VALUES: readonly { readonly name: string; readonly value: () => object }[] = [
  { name: "0.6 KB step", value: stepResult },
  { name: "10 KB, 50 entities", value: () => documentOf(50) },
  { name: "1 MB, 4,900 entities", value: () => documentOf(4900) },
  { name: "200 KB transcript", value: transcript },
];

/** Writes values as canonical JSON. */
export const canonical: BenchGroup = {
  name: "canonical",
  question: "What does canonical JSON (RFC 8785) of a value cost?",
  run: async () => {
    const canonicalize = await loadPeer("canonicalize", "default");
    const safeStable = await loadPeer("safe-stable-stringify", "stringify");
    const rows: Row[] = [];
    for (const { name, value } of CANONICAL_VALUES)
      rows.push(await measureRow({ name, contenders: contenders(value(), canonicalize, safeStable) }));
    return rows;
  },
};

function contenders(value: object, canonicalize: PeerFunction, safeStable: PeerFunction): readonly Contender[] {
  const right = String(canonicalize(value));
  const asWritten = JSON.stringify(value);
  return [
    writer({ name: "veritest", role: "ours", right }, () => stableStringify(value)),
    writer({ name: "JSON.stringify", role: "limit", right: asWritten }, () => JSON.stringify(value)),
    writer({ name: "canonicalize", role: "peer", right }, () => String(canonicalize(value))),
    writer({ name: "safe-stable-stringify", role: "peer", right }, () => String(safeStable(value))),
  ];
}

function writer(
  { name, role, right }: { readonly name: string; readonly role: Role; readonly right: string },
  write: () => string,
): Contender {
  return {
    name,
    role,
    run: () => {
      const text = write();
      // Writers that join pieces put off the work of copying them into one text: this makes them do it.
      text.charCodeAt(0);
      return text;
    },
    problemOf: (text) => (text === right ? undefined : "another text than RFC 8785 asks for"),
  };
}
