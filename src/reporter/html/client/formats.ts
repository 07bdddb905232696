/** `17 %`, of a share from 0 to 1. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

const MOMENT = {
  timeZone: "UTC",
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
} as const;

/** A moment in UTC, the same for everybody who opens the report; what is no date is left as it is. */
export function moment(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : `${time.toLocaleString("en-GB", MOMENT)} UTC`;
}
