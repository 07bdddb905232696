import { isPlainObject } from "../../src/kernel/json/plain-data.ts";
import type { BaselineUpdate } from "../../src/baseline/baseline.ts";
import { proposalOf } from "./world.ts";

/** A commit that a child process is to make: the cases, and the one value all of them get. */
export interface CommitOrder {
  readonly project: string;
  readonly state?: string | undefined;
  readonly names: readonly string[];
  readonly value: string;
  /** When to begin, in milliseconds since 1970, so that several do so at once. */
  readonly at: number;
}

/** Narrows what one process handed to another. */
export function isCommitOrder(value: unknown): value is CommitOrder {
  if (!isPlainObject(value) || !Array.isArray(value["names"])) return false;
  return typeof value["project"] === "string" && typeof value["value"] === "string" && typeof value["at"] === "number";
}

/** The value every case has before. */
export const OLD_VALUE = "old";

/** The updates of an order. */
export function updatesOf({
  project,
  names,
  value,
}: Pick<CommitOrder, "project" | "names" | "value">): BaselineUpdate[] {
  return names.map((name) => proposalOf(project, name, { before: OLD_VALUE, after: value }));
}
