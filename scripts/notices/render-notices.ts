import type { BundledPackage } from "./list-bundled.ts";

const RULE = "-".repeat(80);

/** The text of THIRD-PARTY-NOTICES. */
export function renderNotices(packages: readonly BundledPackage[]): string {
  if (packages.length === 0) return "dist/ holds no code of other packages.\n";
  return [
    "dist/ holds code of the packages below. Each keeps its own licence.",
    ...packages.map(({ name, version, licence, text }) => `${RULE}\n${name} ${version} (${licence})\n\n${text}`),
  ]
    .join("\n\n")
    .concat("\n");
}
