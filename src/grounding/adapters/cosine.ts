/** The cosine of two vectors, -1 to 1; 0 where one has no length or their dimensions differ. */
export function cosine(one: readonly number[], other: readonly number[]): number {
  if (one.length !== other.length) return 0;
  let [dot, a, b] = [0, 0, 0];
  for (let index = 0; index < one.length; index += 1) {
    const [x, y] = [one[index] ?? 0, other[index] ?? 0];
    dot += x * y;
    a += x * x;
    b += y * y;
  }
  // Square roots apart: their product cannot overflow where a times b would.
  const length = Math.sqrt(a) * Math.sqrt(b);
  return length === 0 ? 0 : dot / length;
}
