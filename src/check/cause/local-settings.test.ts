import { expect, test } from "vitest";
import { withLocalSettings } from "./local-settings.ts";

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
