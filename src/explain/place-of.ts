import type { ReportChange } from "./report-case.ts";

/**
 * Where a difference lies, as failure messages write it: `total`, `request.messages[0]`, `(root)` for the whole
 * output. Untrusted text.
 */
export function placeOf({ part, path }: Pick<ReportChange, "part" | "path">): string {
  if (part === "output") return path === "" ? "(root)" : path;
  if (path === "") return part;
  return path.startsWith("[") ? `${part}${path}` : `${part}.${path}`;
}
