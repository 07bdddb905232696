import { dirname, join } from "node:path";
import type { Places } from "../place/places.ts";

/** Where receipts are: beside the notes, so shared by the work trees of a repository and kept when one is removed. */
export function receiptsDirectory({ notes }: Places): string {
  return join(dirname(notes), "receipts");
}
