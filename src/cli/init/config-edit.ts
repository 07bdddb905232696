/** What becomes of a file: it has what it needs, or gets it, or somebody has to write `lines` into it. */
export type ConfigEdit =
  | { readonly kind: "done" }
  | { readonly kind: "edit"; readonly text: string }
  | { readonly kind: "tell"; readonly because: string; readonly lines: readonly string[] };

/** A configuration file to be edited. */
export interface ConfigSource {
  /** Its name, which tells its language. */
  readonly name: string;
  readonly text: string;
  /** Whether Node takes a `.js` file here for an ES module. */
  readonly esm: boolean;
}
