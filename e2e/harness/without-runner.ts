import type { Runner } from "./runners.ts";

/**
 * Messages with the runner's name taken out of the commands they offer, so that all runners' compare; throws where
 * another's is in one.
 */
export function withoutRunner(failures: Readonly<Record<string, string>>, { kind }: Runner): Record<string, string> {
  const own = kind === "vitest" ? "npx vitest run " : "npx jest --runTestsByPath ";
  const other = kind === "vitest" ? "npx jest " : "npx vitest run ";
  const foreign = Object.values(failures).find((message) => message.includes(other));
  if (foreign !== undefined) throw new Error(`A message offers another runner's command:\n${foreign}`);
  return Object.fromEntries(
    Object.entries(failures).map(([name, message]) => [
      name,
      message.replaceAll(own, "npx <runner> ").replaceAll(/(\n +thrown at \S+?):\d+:\d+/g, "$1:LINE"),
    ]),
  );
}
