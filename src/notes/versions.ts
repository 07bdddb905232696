import packageJson from "../../package.json" with { type: "json" };
import type { ReceiptVersions } from "./receipt.ts";

/** The versions of veritest and of what it runs on, as receipts keep them. */
export function versions(): ReceiptVersions {
  return {
    veritest: packageJson.version,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  };
}
