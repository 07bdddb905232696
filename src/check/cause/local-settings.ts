import { asyncScope } from "../../kernel/async-scope.ts";
import { installOnce } from "../../kernel/install-once.ts";
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { replaceProperty } from "../../record/watch-purity.ts";

/** Settings of a process that code reads without naming them. */
export interface LocalSettings {
  readonly timeZone?: string | undefined;
  readonly locale?: string | undefined;
  /** Milliseconds by which the clock is ahead. */
  readonly clockShift?: number | undefined;
}

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
    replaceMethod(String.prototype, "localeCompare", ({ locale }, [that, locales = locale, ...more]) => [
      that,
      locales,
      ...more,
    ]),
    ...["FullYear", "Month", "Date", "Day", "Hours", "Minutes"].map((field) => replaceGetter(field)),
    replaceProperty(Date.prototype, "getTimezoneOffset", zoned("getTimezoneOffset", offsetOf)),
    replaceProperty(globalThis, "Date", shiftedClock()),
  ];
  return () => {
    for (const restore of restores.toReversed()) restore();
  };
}

type Arguments = (settings: LocalSettings, args: readonly unknown[]) => readonly unknown[];

/** Adds the settings to the arguments `(locales, options)`. */
function localized(
  [locales, options, ...more]: readonly unknown[],
  { locale, timeZone }: LocalSettings,
  hasTimeZone: boolean,
): readonly unknown[] {
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

function replaceGetter(field: string): () => void {
  const inUtc: unknown = Reflect.get(Date.prototype, `getUTC${field}`);
  return replaceProperty(
    Date.prototype,
    `get${field}`,
    zoned(`get${field}`, (date, timeZone) =>
      typeof inUtc === "function" ? Reflect.apply(inUtc, inZone(date, timeZone), []) : undefined,
    ),
  );
}

/** A method of dates that computes in the time zone of the settings, if they have one. */
function zoned(name: string, compute: (date: Date, timeZone: string) => unknown): object {
  const original: unknown = Reflect.get(Date.prototype, name);
  return function (this: Date): unknown {
    const timeZone = scope.get()?.timeZone;
    if (timeZone !== undefined && !Number.isNaN(this.getTime())) return compute(this, timeZone);
    return typeof original === "function" ? Reflect.apply(original, this, []) : undefined;
  };
}

const isoText: unknown = Reflect.get(Date.prototype, "toLocaleString");

/** Returns a date whose fields in UTC are those of another one in a time zone. */
function inZone(date: Date, timeZone: string): Date {
  // The original method: the replaced one would add the time zone of the settings. Swedish dates are ISO 8601.
  const text = typeof isoText === "function" ? String(Reflect.apply(isoText, date, ["sv-SE", { timeZone }])) : "";
  return new Date(Date.parse(`${text.replace(" ", "T")}Z`) + date.getUTCMilliseconds());
}

function offsetOf(date: Date, timeZone: string): number {
  return Math.round((date.getTime() - inZone(date, timeZone).getTime()) / 60_000);
}

function shiftedClock(): DateConstructor {
  const original = Date;
  const now = (): number => original.now() + (scope.get()?.clockShift ?? 0);
  const proxy: DateConstructor = new Proxy(original, {
    construct: (target, args: unknown[], newTarget) => {
      const own = newTarget === proxy ? target : newTarget;
      const date: unknown = Reflect.construct(target, args.length === 0 ? [now()] : args, own);
      return date instanceof original ? date : new target();
    },
    get: (target, key): unknown => (key === "now" ? now : Reflect.get(target, key)),
  });
  return proxy;
}
