/**
 * The code of a system error; undefined for anything else. No `instanceof Error`: under Jest these are of another
 * realm.
 */
export function codeOf(thrown: unknown): string | undefined {
  const code = typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" ? code : undefined;
}
