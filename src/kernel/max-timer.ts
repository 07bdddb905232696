/** Longest timer of Node in milliseconds, about 25 days. A longer one fires at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;
