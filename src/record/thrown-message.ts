import { typeName, withArticle } from "../base/plain-data.ts";

/** The message of a thrown value, whatever was thrown. */
export function thrownMessage(thrown: unknown): string {
  const message: unknown = typeof thrown === "object" && thrown !== null ? Reflect.get(thrown, "message") : thrown;
  return typeof message === "string" ? message : `${withArticle(typeName(thrown))} was thrown`;
}
