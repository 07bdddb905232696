import { hash } from "node:crypto";

/**
 * The policy of a page with one script and one style: these two run by their hashes and nothing else does, nothing is
 * loaded, sent or framed, and no text can become markup.
 */
export function contentPolicy({ script, style }: { readonly script: string; readonly style: string }): string {
  return [
    "default-src 'none'",
    `script-src ${source(script)}`,
    `style-src ${source(style)}`,
    "img-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

function source(text: string): string {
  return `'sha256-${hash("sha256", text, "base64")}'`;
}
