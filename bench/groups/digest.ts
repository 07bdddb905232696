import { hash } from "node:crypto";
import { hashValueSync } from "../../src/kernel/json/hash.ts";
import type { Contender, Role } from "../bench-case.ts";
import type { BenchGroup, Row } from "../bench-group.ts";
import { loadPeer } from "../load-peer.ts";
import { measureRow } from "../measure.ts";
import { CANONICAL_VALUES } from "./canonical.ts";

/** Hashes values. */
export const digest: BenchGroup = {
  name: "digest",
  question: "What does the SHA-256 of a value cost?",
  run: async () => {
    const canonicalize = await loadPeer("canonicalize", "default");
    const rows: Row[] = [];
    for (const { name, value } of CANONICAL_VALUES) {
      const given = value();
      const right = sha256(String(canonicalize(given)));
      const contenders = [
        hasher({ name: "veritest", role: "ours", right: `sha256:${right}` }, () => hashValueSync(given)),
        hasher({ name: "JSON.stringify + hash", role: "limit", right: sha256(JSON.stringify(given)) }, () =>
          sha256(JSON.stringify(given)),
        ),
        hasher({ name: "canonicalize + hash", role: "peer", right }, () => sha256(String(canonicalize(given)))),
      ];
      rows.push(await measureRow({ name, contenders }));
    }
    return rows;
  },
};

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}

function hasher(
  { name, role, right }: { readonly name: string; readonly role: Role; readonly right: string },
  run: () => string,
): Contender {
  return {
    name,
    role,
    run,
    problemOf: (found) => (found === right ? undefined : `expected ${right}, found ${String(found)}`),
  };
}
