import type { ReportChange } from "./report-case.ts";
import { formatLocation } from "./wording.ts";

/** One line or change to show of a case. Its texts are untrusted: each format escapes them. */
export type Detail =
  | { readonly kind: "cause"; readonly text: string }
  | { readonly kind: "sentence"; readonly text: string }
  | { readonly kind: "remark"; readonly text: string }
  | { readonly kind: "outcome"; readonly text: string; readonly wrong: boolean }
  | {
      readonly kind: "change";
      /** Text before the path: an adapter, or a rule that let it pass. */
      readonly lead: string;
      readonly change: ReportChange<unknown>;
      /** Reason to show it: it changed, it is evidence for the cause, or a rule let it pass. */
      readonly role: "changed" | "evidence" | "tolerated";
    };

/** A change among the details of a case. */
export type ChangeDetail = Extract<Detail, { readonly kind: "change" }>;

/** Returns the location of a change, with what comes before it. */
export function locationOf({ lead, change }: ChangeDetail): string {
  return `${lead}${formatLocation(change)}`;
}
