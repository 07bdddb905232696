/** What a check answers a matcher: the verdict, and the words for it, which are only made when they are shown. */
export interface GroundingAnswer {
  readonly pass: boolean;
  /** For a failing check, or for a passing one under `.not`. Safe to print, and bounded. */
  readonly message: () => string;
  /** Worth showing although the check passed. */
  readonly warning?: string;
}
