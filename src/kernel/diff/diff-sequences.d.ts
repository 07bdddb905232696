// The package declares its default export as CommonJS does, and gives it as an ES module does.
declare module "@jest/diff-sequences" {
  /**
   * Finds a longest common subsequence of two lists of these lengths, in linear space. `found` is told each stretch
   * that both have, in order: how long it is, and where it begins in either.
   */
  const diffSequence: (
    ...given: readonly [
      beforeLength: number,
      afterLength: number,
      isCommon: (before: number, after: number) => boolean,
      found: (length: number, before: number, after: number) => void,
    ]
  ) => void;
  export default diffSequence;
}
