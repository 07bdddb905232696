import { expect, test } from "vitest";
import { watchLocalSettings, withLocalSettings } from "./local-settings.ts";

const AT = new Date("2026-03-01T23:30:05.007Z");

test("uses dates of another time zone inside, and none outside", async () => {
  const before = [AT.getHours(), AT.toLocaleString(), AT.getTimezoneOffset()];
  await withLocalSettings({ timeZone: "Asia/Tokyo" }, async () => {
    await Promise.resolve();
    expect([AT.getFullYear(), AT.getMonth(), AT.getDate(), AT.getDay(), AT.getHours(), AT.getMinutes()]).toStrictEqual([
      2026, 2, 2, 1, 8, 30,
    ]);
    expect([AT.getTimezoneOffset(), AT.getUTCHours(), AT.toISOString()]).toStrictEqual([
      -540,
      23,
      "2026-03-01T23:30:05.007Z",
    ]);
    expect(AT.toLocaleTimeString("en-GB")).toBe("08:30:05");
    expect(AT.toLocaleTimeString("en-GB", { timeZone: "UTC" })).toBe("23:30:05");
    expect(new Intl.DateTimeFormat("en-GB").format(AT)).toBe("02/03/2026");
    expect(new Intl.DateTimeFormat().resolvedOptions().timeZone).toBe("Asia/Tokyo");
  });
  expect([AT.getHours(), AT.toLocaleString(), AT.getTimezoneOffset()]).toStrictEqual(before);
});

test("supports zones with half an hour, behind UTC and with daylight saving time", async () => {
  const july = new Date("2026-07-01T02:00:00.000Z");
  const hours = async (timeZone: string): Promise<unknown> =>
    withLocalSettings({ timeZone }, async () => [july.getDate(), july.getHours(), july.getMinutes()]);
  expect(await hours("Asia/Kolkata")).toStrictEqual([1, 7, 30]);
  expect(await hours("America/New_York")).toStrictEqual([30, 22, 0]);
  expect(await hours("Europe/Berlin")).toStrictEqual([1, 4, 0]);
});

test("names the time zone in the language of the locale", async () => {
  const zone = AT.toTimeString().replace(/^.*\(|\)$/g, "");
  const read = await watchLocalSettings(async () => AT.toString());
  expect([...read.read].toSorted()).toStrictEqual(["locale", "timeZone"]);
  await withLocalSettings({ timeZone: "Asia/Tokyo", locale: "de-DE" }, async () => {
    expect(AT.toString()).toBe("Mon Mar 02 2026 08:30:05 GMT+0900 (Japanische Normalzeit)");
  });
  await withLocalSettings({ locale: "fr-FR" }, async () => {
    const parts = new Intl.DateTimeFormat("fr-FR", { timeZoneName: "long" }).formatToParts(AT);
    expect(AT.toTimeString()).toContain(`(${parts.find(({ type }) => type === "timeZoneName")?.value ?? ""})`);
    expect(AT.toDateString()).not.toContain("(");
  });
  expect(AT.toString()).toContain(`(${zone})`);
});

test("sets, makes, reads and prints local dates of another time zone", async () => {
  const printed = AT.toString();
  await withLocalSettings({ timeZone: "Asia/Tokyo" }, async () => {
    expect(String(AT)).toBe("Mon Mar 02 2026 08:30:05 GMT+0900 (Japan Standard Time)");
    expect([AT.toDateString(), AT.toTimeString()]).toStrictEqual([
      "Mon Mar 02 2026",
      "08:30:05 GMT+0900 (Japan Standard Time)",
    ]);
    const midnight = new Date(AT);
    expect(midnight.setHours(0, 0, 0, 0)).toBe(midnight.getTime());
    expect(midnight.toISOString()).toBe("2026-03-01T15:00:00.000Z");
    expect(new Date(2026, 2, 2, 8, 30).toISOString()).toBe("2026-03-01T23:30:00.000Z");
    expect(Number.isNaN(new Date(2026, Number.NaN).getTime())).toBe(true);
    expect(new Date("garbage").toString()).toBe("Invalid Date");
    const local = ["2026-03-02T08:30:00", "2026-03-02 08:30", "Mar 2, 2026 08:30", "3/2/2026 8:30"];
    for (const text of local) expect(new Date(text).toISOString(), text).toBe("2026-03-01T23:30:00.000Z");
    const fixed = [
      "2026-03-02T08:30:00Z",
      "2026-03-02T10:30+02:00",
      "Mar 2, 2026 08:30 GMT",
      "Mon, 02 Mar 2026 08:30 UTC",
    ];
    for (const text of fixed) expect(Date.parse(text), text).toBe(Date.UTC(2026, 2, 2, 8, 30));
    expect(Date.parse("2026-03-02")).toBe(Date.UTC(2026, 2, 2));
  });
  expect(AT.toString()).toBe(printed);
});

test("makes local dates right beside a change of the clock", async () => {
  await withLocalSettings({ timeZone: "America/New_York" }, async () => {
    expect(new Date(2026, 2, 8, 1, 59).toISOString()).toBe("2026-03-08T06:59:00.000Z");
    expect(new Date(2026, 2, 8, 3, 0).toISOString()).toBe("2026-03-08T07:00:00.000Z");
    const day = new Date("2026-11-01T12:00:00Z");
    day.setHours(0);
    expect(day.toISOString()).toBe("2026-11-01T04:00:00.000Z");
    expect(day.toString()).toBe("Sun Nov 01 2026 00:00:00 GMT-0400 (Eastern Daylight Time)");
  });
});

test("uses numbers, dates and order of another locale, unless the code names one", async () => {
  await withLocalSettings({ locale: "de-DE" }, async () => {
    expect((1234.5).toLocaleString()).toBe("1.234,5");
    expect((1234.5).toLocaleString("en-US")).toBe("1,234.5");
    expect(new Intl.NumberFormat().format(1234.5)).toBe("1.234,5");
    expect(AT.toLocaleDateString(undefined, { timeZone: "UTC" })).toBe("1.3.2026");
    expect("ä".localeCompare("z")).toBe(-1);
  });
  await withLocalSettings({ locale: "sv-SE" }, async () => expect("ä".localeCompare("z")).toBe(1));
});

test("moves the clock inside only, even for two concurrent functions", async () => {
  const day = 86_400_000;
  const started = Date.now();
  const times = await Promise.all([
    withLocalSettings({ clockShift: day }, async () => [Date.now(), new Date().getTime(), new Date(5).getTime()]),
    withLocalSettings({}, async () => [Date.now()]),
  ]);
  const [[ahead = 0, made = 0, given = 0], [plain = 0]] = times;
  expect(given).toBe(5);
  expect(Math.abs(ahead - started - day)).toBeLessThan(60_000);
  expect(Math.abs(made - started - day)).toBeLessThan(60_000);
  expect(Math.abs(plain - started)).toBeLessThan(60_000);
  expect(new Date() instanceof Date).toBe(true);
});

test("moves a clock that was replaced meanwhile, and still calls the old one, once", async () => {
  const day = 86_400_000;
  const real = Date;
  try {
    await withLocalSettings({ clockShift: day }, async () => {
      const shifted = Date;
      globalThis.Date = new Proxy(shifted, { construct: (_target, args) => Reflect.construct(shifted, args) });
    });
    const times = await withLocalSettings({ clockShift: day }, async () => [Date.now(), new Date().getTime()]);
    for (const time of times) expect(Math.abs(time - real.now() - day)).toBeLessThan(60_000);
    const local = await withLocalSettings({ timeZone: "Asia/Tokyo" }, async () => new Date(2026, 2, 1).toISOString());
    expect(local).toBe("2026-02-28T15:00:00.000Z");
  } finally {
    globalThis.Date = real;
  }
});

test("Date() without new is the shifted time as text", async () => {
  const shifted = await withLocalSettings({ clockShift: 3_600_000 }, async () => Date());
  expect(Date.parse(shifted) - Date.parse(Date())).toBeGreaterThan(3_500_000);
});
