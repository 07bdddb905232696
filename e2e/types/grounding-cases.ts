import { expect } from "#expect";
import { blend, judgeVerifier, lexicalVerifier } from "veritest/grounding";

const sources = [{ document: "harbour.pdf", page: 3, text: "The bridge was opened in 1932." }];
const judge = { complete: async () => ({ content: "{}" }) };
const verifier = blend(lexicalVerifier, judgeVerifier(judge));

/** What must compile for every runner with the grounding set-up file, and what must not. Never run. */
export async function groundingCases(): Promise<void> {
  await expect("The bridge was opened in 1932.").toBeGroundedIn(sources);
  await expect("The bridge was opened in 1932.").toBeGroundedIn("The bridge was opened in 1932.", {
    threshold: 0.7,
    verifier,
    question: "When?",
    weigh: "position",
    config: { maxFacts: 5 },
  });
  await expect("It was opened.").toBeGroundedIn(sources, { judge, contradictions: "warn", minClaim: 0.5 });
  await expect("It was opened.").toBeGroundedIn([{ pageContent: "It was opened.", metadata: { source: "a.pdf" } }]);
  await expect("It was sold.").not.toBeGroundedIn(["The bridge was opened in 1932."]);
  await expect({ output: { text: "It was opened." } }).toBeGroundedIn(sources, { path: "text" });
  await expect("The bridge was opened in 1932 [1].").toCite(sources, { path: "text" });
  await expect(sources).toCover("When was the bridge opened?", { threshold: 0.8, path: "chunks" });

  // @ts-expect-error: sources are needed
  await expect("It was opened.").toBeGroundedIn();
  // @ts-expect-error: the option is `threshold`
  await expect("It was opened.").toBeGroundedIn(sources, { treshold: 0.7 });
  // @ts-expect-error: a threshold of the configuration is a number
  await expect("It was opened.").toBeGroundedIn(sources, { config: { partialThreshold: "0.7" } });
  // @ts-expect-error: a verifier verifies
  await expect("It was opened.").toBeGroundedIn(sources, { verifier: { name: "mine" } });
  // @ts-expect-error: a source has a text
  await expect("It was opened [1].").toCite([{ document: "harbour.pdf" }]);
  // @ts-expect-error: a query is a text
  await expect(sources).toCover(7);
}
