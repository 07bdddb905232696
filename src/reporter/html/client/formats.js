/**
 * `12,345`.
 * @param {number} value
 */
export function count(value) {
  return value.toLocaleString("en-GB");
}

/**
 * `1 baseline`, `12 baselines`.
 * @param {number} value
 * @param {string} one
 * @param {string} [many]
 */
export function plural(value, one, many = `${one}s`) {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/**
 * `17 %`.
 * @param {number} share from 0 to 1
 */
export function percent(share) {
  return `${Math.round(share * 100)} %`;
}

/**
 * `850 ms`, `4.2 s`, `3 min 4 s`.
 * @param {number} ms
 */
export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * A moment in UTC, the same for everybody who opens the report; what is no date is left as it is.
 * @param {string} iso
 */
export function moment(iso) {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  return `${time.toLocaleString("en-GB", { timeZone: "UTC", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" })} UTC`;
}
