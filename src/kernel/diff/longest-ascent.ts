/** Returns the indexes of a longest ascending sequence of the numbers, without negative ones. */
export function longestAscent(numbers: Int32Array): readonly number[] {
  const previous = new Int32Array(numbers.length);
  // The index of the last number of the best sequence of each length.
  const ends = new Int32Array(numbers.length);
  let length = 0;
  for (let index = 0; index < numbers.length; index += 1) {
    const number = numbers[index] ?? -1;
    if (number < 0) continue;
    let [low, high] = [0, length];
    // Most numbers continue the longest sequence.
    if (length > 0 && (numbers[ends[length - 1] ?? 0] ?? 0) < number) low = length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] ?? 0] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    previous[index] = low === 0 ? -1 : (ends[low - 1] ?? -1);
    ends[low] = index;
    if (low === length) length += 1;
  }
  const sequence: number[] = [];
  for (let index = length === 0 ? -1 : (ends[length - 1] ?? -1); index >= 0; index = previous[index] ?? -1)
    sequence.push(index);
  return sequence.reverse();
}
