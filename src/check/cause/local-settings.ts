import { asyncScope } from "../../kernel/async-scope.ts";
import { installOnce } from "../../kernel/install-once.ts";
import { isPlainObject, memberOf } from "../../kernel/json/plain-data.ts";
import { replaceProperty } from "../../record/watch-purity.ts";

/** Settings of a process that code reads without naming them. */
export interface LocalSettings {
  readonly timeZone?: string | undefined;
  readonly locale?: string | undefined;
  /** Milliseconds by which the clock is ahead. */
  readonly clockShift?: number | undefined;
  /** Receives each setting that code reads. */
  readonly onRead?: ((setting: LocalSetting) => void) | undefined;
}

/** A setting that code reads without naming it. */
export type LocalSetting = "timeZone" | "locale" | "clockShift";

const scope = asyncScope("local-settings", (value): value is LocalSettings => isPlainObject(value));
const KEY = Symbol.for("veritest.local-settings");

/**
 * Runs a function as in a process with another time zone, locale or clock. Node reads the locale when it starts, and
 * the time zone of a worker thread can't be changed, so the methods of `Date`, `Intl`, numbers and strings are
 * replaced. Concurrent code outside of the function isn't affected.
 */
export async function withLocalSettings<T>(settings: LocalSettings, run: () => Promise<T>): Promise<T> {
  const restore = installOnce(KEY, install);
  try {
    return await scope.run(settings, run);
  } finally {
    restore();
  }
}

/** Runs a function, and returns its value with the settings that it reads: no other setting can change the value. */
export async function watchLocalSettings<T>(
  run: () => Promise<T>,
): Promise<{ readonly value: T; readonly read: ReadonlySet<LocalSetting> }> {
  const read = new Set<LocalSetting>();
  const value = await withLocalSettings({ onRead: (setting) => read.add(setting) }, run);
  return { value, read };
}

const INTL = ["Collator", "DateTimeFormat", "ListFormat", "NumberFormat", "PluralRules", "RelativeTimeFormat"] as const;

function install(): () => void {
  const restores = [
    ...INTL.map((name) => replaceProperty(Intl, name, localizedClass(Intl[name], name === "DateTimeFormat"))),
    ...["toLocaleString", "toLocaleDateString", "toLocaleTimeString"].map((name) =>
      replaceMethod(Date.prototype, name, (settings, args) => localized(args, settings, true)),
    ),
    ...[Number.prototype, BigInt.prototype].map((owner) =>
      replaceMethod(owner, "toLocaleString", (settings, args) => localized(args, settings, false)),
    ),
    replaceMethod(String.prototype, "localeCompare", (settings, [that, ...args]) => [
      that,
      ...localized(args, settings, false),
    ]),
    ...["FullYear", "Month", "Date", "Day", "Hours", "Minutes"].flatMap((field) => replaceField(field)),
    ...Object.entries({ getTimezoneOffset: offsetOf, toString: textOf, toDateString: dayOf, toTimeString: timeOf }).map(
      ([name, compute]) => replaceProperty(Date.prototype, name, zoned(name, compute)),
    ),
    installClock(),
  ];
  return () => {
    for (const restore of restores.toReversed()) restore();
  };
}

type Arguments = (settings: LocalSettings, args: readonly unknown[]) => readonly unknown[];

/** Adds the settings to the arguments `(locales, options)`. */
function localized(
  [locales, options, ...more]: readonly unknown[],
  { locale, timeZone, onRead }: LocalSettings,
  hasTimeZone: boolean,
): readonly unknown[] {
  if (locales === undefined) onRead?.("locale");
  if (hasTimeZone && memberOf(options, "timeZone") === undefined) onRead?.("timeZone");
  const added =
    hasTimeZone && timeZone !== undefined ? { timeZone, ...(isPlainObject(options) ? options : {}) } : options;
  return [locales ?? locale, added, ...more];
}

function localizedClass(original: object, hasTimeZone: boolean): object {
  const proxy: object = new Proxy(original, {
    apply: (target, self, args: unknown[]): unknown =>
      typeof target === "function"
        ? Reflect.apply(target, self, localized(args, scope.get() ?? {}, hasTimeZone))
        : undefined,
    construct: (target, args: unknown[], newTarget): object => {
      if (typeof target !== "function") return target;
      const own = newTarget === proxy ? target : newTarget;
      const made: unknown = Reflect.construct(target, localized(args, scope.get() ?? {}, hasTimeZone), own);
      return typeof made === "object" && made !== null ? made : target;
    },
  });
  return proxy;
}

function replaceMethod(owner: object, name: string, argumentsOf: Arguments): () => void {
  const original: unknown = Reflect.get(owner, name);
  if (typeof original !== "function") return () => undefined;
  const apply = (target: Function, self: unknown, args: unknown[]): unknown => {
    const settings = scope.get();
    return Reflect.apply(target, self, settings === undefined ? args : argumentsOf(settings, args));
  };
  return replaceProperty(owner, name, new Proxy(original, { apply }));
}

/** Replaces the methods that read and set a field of dates in local time. */
function replaceField(field: string): readonly (() => void)[] {
  const [get, set] = [`getUTC${field}`, `setUTC${field}`].map((name): unknown => Reflect.get(Date.prototype, name));
  const [read, write] = [`get${field}`, `set${field}`];
  const restores = [
    replaceProperty(
      Date.prototype,
      read,
      zoned(read, (date, timeZone) =>
        typeof get === "function" ? Reflect.apply(get, inZone(date, timeZone), []) : undefined,
      ),
    ),
  ];
  if (typeof set !== "function") return restores;
  const assign = (date: Date, timeZone: string, values: readonly unknown[]): unknown => {
    const local = inZone(date, timeZone);
    Reflect.apply(set, local, values);
    return date.setTime(fromZone(local.getTime(), timeZone));
  };
  return [...restores, replaceProperty(Date.prototype, write, zoned(write, assign))];
}

/** Methods whose texts contain the name of the time zone in the locale's language. */
const NAMES_ZONE: ReadonlySet<string> = new Set(["toString", "toTimeString"]);

/** A method of dates that computes with the time zone and the locale of the settings, if they have one. */
function zoned(name: string, compute: (date: Date, timeZone: string, args: readonly unknown[]) => unknown): object {
  const original: unknown = Reflect.get(Date.prototype, name);
  return function (this: Date, ...args: unknown[]): unknown {
    const timeZone = readTimeZone() ?? (NAMES_ZONE.has(name) ? zoneOfLocale() : undefined);
    if (timeZone !== undefined && !Number.isNaN(this.getTime())) return compute(this, timeZone, args);
    return typeof original === "function" ? Reflect.apply(original, this, args) : undefined;
  };
}

/** Returns the time zone of the settings, and notes that it's read. */
function readTimeZone(): string | undefined {
  const { timeZone, onRead } = scope.get() ?? {};
  onRead?.("timeZone");
  return timeZone;
}

/** Notes that the locale is read. Returns the process's time zone if the settings have a locale. */
function zoneOfLocale(): string | undefined {
  const { locale, onRead } = scope.get() ?? {};
  onRead?.("locale");
  return locale === undefined ? undefined : new Intl.DateTimeFormat(locale).resolvedOptions().timeZone;
}

const isoText: unknown = Reflect.get(Date.prototype, "toLocaleString");

/** Returns a date whose fields in UTC are those of another one in a time zone. */
function inZone(date: Date, timeZone: string): Date {
  // The original method: the replaced one would add the time zone of the settings. Swedish dates are ISO 8601.
  const text = typeof isoText === "function" ? String(Reflect.apply(isoText, date, ["sv-SE", { timeZone }])) : "";
  return new Date(Date.parse(`${text.replace(" ", "T")}Z`) + date.getUTCMilliseconds());
}

/** Returns the time at which the fields of a time zone are those of a time in UTC. */
function fromZone(fields: number, timeZone: string): number {
  const offsetAt = (time: number): number => offsetOf(new Date(time), timeZone) * 60_000;
  // Twice: the first offset is that of another time, which may be on the other side of a change of the clock.
  return fields + offsetAt(fields + offsetAt(fields));
}

function offsetOf(date: Date, timeZone: string): number {
  return Math.round((date.getTime() - inZone(date, timeZone).getTime()) / 60_000);
}

function textOf(date: Date, timeZone: string): string {
  return `${dayOf(date, timeZone)} ${timeOf(date, timeZone)}`;
}

/** "Mon Mar 02 2026" */
function dayOf(date: Date, timeZone: string): string {
  const [day, number, month, year] = inZone(date, timeZone).toUTCString().split(/,? /);
  return [day, month, number, year].join(" ");
}

/** "08:30:05 GMT+0900 (Japan Standard Time)" */
function timeOf(date: Date, timeZone: string): string {
  const offset = offsetOf(date, timeZone);
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const name = new Intl.DateTimeFormat(undefined, { timeZone, timeZoneName: "long" })
    .formatToParts(date)
    .find(({ type }) => type === "timeZoneName")?.value;
  const time = inZone(date, timeZone).toISOString().slice(11, 19);
  const digits = [hours, minutes].map((part) => String(part).padStart(2, "0")).join("");
  return `${time} GMT${offset > 0 ? "-" : "+"}${digits} (${name})`;
}

/** A time of day without an offset or the name of a zone, or a day that isn't in the form of ISO 8601. */
const LOCAL_TEXT = /^(?!\d{4}(?:-\d\d){0,2}$)(?!.*(?:Z|GMT|UTC|:\d\d.*[+-]\d\d:?\d\d)\s*(?:\([^)]*\))?$)/i;

/**
 * The clock of the settings in use. Other code can have replaced it while it was installed, and then still calls it: a
 * frozen clock does. Added to the next one, it would shift the time twice.
 */
let clock: DateConstructor | undefined;

function installClock(): () => void {
  clock = shiftedClock();
  const restore = replaceProperty(globalThis, "Date", clock);
  return () => {
    clock = undefined;
    restore();
  };
}

function shiftedClock(): DateConstructor {
  const original = Date;
  const isInUse = (): boolean => clock === proxy;
  const zoneInUse = (): string | undefined => (isInUse() ? readTimeZone() : undefined);
  // Read once: code that replaces `Date.now` later can call this clock, which must not call that code again.
  const originalNow = original.now;
  const now = (): number => {
    const { clockShift = 0, onRead } = (isInUse() ? scope.get() : undefined) ?? {};
    onRead?.("clockShift");
    return originalNow() + clockShift;
  };
  const parse = (text: string): number => {
    const time = original.parse(text);
    const timeZone = Number.isNaN(time) || !LOCAL_TEXT.test(text.trim()) ? undefined : zoneInUse();
    if (timeZone === undefined) return time;
    const fields = original.parse(`${text.trim()}${/\dT\d/.test(text) ? "Z" : " UTC"}`);
    return Number.isNaN(fields) ? time : fromZone(fields, timeZone);
  };
  const replaced = { now, parse };
  const argumentsOf = (args: readonly unknown[]): readonly unknown[] => {
    if (args.length === 0) return [now()];
    if (args.length === 1) return typeof args[0] === "string" ? [parse(args[0])] : args;
    const timeZone = zoneInUse();
    if (timeZone === undefined) return args;
    const time: unknown = Reflect.apply(original.UTC, original, args);
    return [typeof time === "number" && !Number.isNaN(time) ? fromZone(time, timeZone) : Number.NaN];
  };
  const proxy: DateConstructor = new Proxy(original, {
    // `Date()` without `new` returns the time as text.
    apply: () => String(new proxy()),
    construct: (target, args: unknown[], newTarget) => {
      const own = newTarget === proxy ? target : newTarget;
      const date: unknown = Reflect.construct(target, argumentsOf(args), own);
      return date instanceof original ? date : new target();
    },
    get: (target, key): unknown =>
      Object.hasOwn(replaced, key) ? Reflect.get(replaced, key) : Reflect.get(target, key),
  });
  return proxy;
}
