import { isObject } from "./json/plain-data.ts";
import { sharedValue } from "./shared-value.ts";

/**
 * Stored form of the instances of a class, in baselines and recordings.
 *
 * @example
 * const money: ValueCodec = {
 *   name: "money",
 *   is: (value) => value instanceof Money,
 *   encode: (value: Money) => value.cents,
 *   decode: (cents: number) => new Money(cents),
 * };
 */
export interface ValueCodec {
  /** Name of the codec in files. Default: the name of the step, or `project`, and the position in the list. */
  readonly name?: string;
  /** Returns true for the values that this codec converts. */
  is(value: unknown): boolean;
  /** Converts a value to data that a baseline can store, such as JSON. */
  encode(value: unknown): unknown;
  /** Converts stored data back to the value. */
  decode(data: unknown): unknown;
}

/** The codecs of this process by their names. */
const codecs = sharedValue("value-codecs", isCodecMap, () => new Map<string, ValueCodec>());

function isCodecMap(value: unknown): value is Map<string, ValueCodec> {
  return value instanceof Map;
}

/**
 * Registers the codecs of a project in this process: for all steps, and for values without a step. Call it in a setup
 * file, and in the configuration file for the command line. A codec replaces an earlier codec with the same name.
 *
 * @example
 * configureValues([{ name: "money", is: (value) => value instanceof Money, encode, decode }]);
 */
export function configureValues(values: readonly ValueCodec[]): void {
  registerCodecs("configureValues", "project", values);
}

/** Registers the codecs of an owner; `caller` begins the message about an unusable one. */
export function registerCodecs(caller: string, owner: string, values: readonly ValueCodec[]): void {
  for (const [index, codec] of values.entries()) {
    const { name = `${owner} ${index}` } = codec;
    for (const method of ["is", "encode", "decode"] as const)
      if (!isObject(codec) || typeof codec[method] !== "function")
        throw new TypeError(`${caller}: values[${index}] has no function ${method}.`);
    codecs().delete(name);
    codecs().set(name, codec);
  }
}

/** Returns the codec of an instance with its name, the newest first; undefined if there is none. */
export function codecOf(value: object): readonly [name: string, codec: ValueCodec] | undefined {
  const known = codecs();
  return known.size === 0 ? undefined : [...known].findLast(([, codec]) => codec.is(value));
}

/** Returns the codec of a name; undefined if it isn't registered. */
export function codecNamed(name: string): ValueCodec | undefined {
  return codecs().get(name);
}

/** Value of a codec that isn't registered in this process: a command that only copies a baseline needs none. */
export class UnregisteredValue {
  readonly codec: string;
  /** Encoded data of the value. */
  readonly data: unknown;

  constructor(codec: string, data: unknown) {
    this.codec = codec;
    this.data = data;
  }
}
