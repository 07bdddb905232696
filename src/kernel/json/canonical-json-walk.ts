import { formatPath } from "../text.ts";
import { isArray, isPlainObject, typeName, withArticle } from "./plain-data.ts";
import { hasToJson, leafJson, NOT_JSON, sortKeys, stringJson } from "./json-leaf.ts";

interface ArrayFrame {
  readonly source: object;
  readonly items: readonly unknown[];
  readonly keys: undefined;
  readonly length: number;
  next: number;
  separator: string;
}

interface ObjectFrame {
  readonly source: object;
  readonly items: Readonly<Record<string, unknown>>;
  /** The names in canonical order. */
  readonly keys: readonly string[];
  readonly length: number;
  next: number;
  separator: string;
}

type Frame = ArrayFrame | ObjectFrame;

/**
 * The careful pass of `stableStringify`: the same text, written with an explicit stack so that depth cannot overflow,
 * and with a list of the ancestors so that a cycle ends. Throws the TypeErrors that name a path; `part` of each is the
 * value that JSON can't represent.
 */
export function walkJson(root: unknown): string {
  const walk = new JsonWalk();
  return walk.write(root);
}

class JsonWalk {
  readonly #frames: Frame[] = [];
  readonly #ancestors = new Set<object>();
  readonly #parts: string[] = [];

  write(root: unknown): string {
    this.#parts.push(this.#open(root, "") ?? "null");
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      if (frame.next < frame.length) this.#step(frame);
      else this.#close(frame);
    }
    return this.#parts.join("");
  }

  #step(frame: Frame): void {
    const index = frame.next;
    frame.next += 1;
    const key = frame.keys?.[index];
    const text = this.#open(valueAt(frame, index), key ?? String(index));
    if (text === undefined && key !== undefined) return;
    this.#parts.push(`${frame.separator}${key === undefined ? "" : `${stringJson(key)}:`}${text ?? "null"}`);
    frame.separator = ",";
  }

  /** Returns a leaf's text, or the bracket of a container whose frame it opened; `undefined` for what JSON omits. */
  #open(value: unknown, key: string): string | undefined {
    if (typeof value !== "object" || value === null) return this.#leaf(value);
    this.#refuseCycle(value);
    if (!hasToJson(value)) return this.#push(value, value);
    const answer = value.toJSON(key);
    if (typeof answer !== "object" || answer === null) return this.#leaf(answer);
    if (answer !== value) this.#refuseCycle(answer);
    return this.#push(value, answer);
  }

  #leaf(value: unknown): string | undefined {
    const text = leafJson(value);
    return text === NOT_JSON ? this.#refuse(`cannot serialise a ${typeof value} at`, value) : text;
  }

  #push(source: object, container: object): string {
    const start = { source, next: 0, separator: "" };
    if (isArray(container)) {
      this.#frames.push({ ...start, items: container, keys: undefined, length: container.length });
    } else if (isPlainObject(container)) {
      const keys = sortKeys(Object.keys(container));
      this.#frames.push({ ...start, items: container, keys, length: keys.length });
    } else {
      this.#refuse(`cannot serialise ${withArticle(typeName(container))} at`, container);
    }
    this.#ancestors.add(source).add(container);
    return isArray(container) ? "[" : "{";
  }

  #close(frame: Frame): void {
    this.#frames.pop();
    this.#ancestors.delete(frame.source);
    this.#ancestors.delete(frame.items);
    this.#parts.push(frame.keys === undefined ? "]" : "}");
  }

  #refuseCycle(value: object): void {
    if (this.#ancestors.has(value)) this.#refuse("cycle at", value);
  }

  #refuse(problem: string, part: unknown): never {
    const path = this.#frames.map((frame) => frame.keys?.[frame.next - 1] ?? frame.next - 1);
    const message = `stableStringify: ${problem} "${formatPath(path)}"; convert it to plain JSON data first`;
    // Not enumerable: a runner prints such fields of an error, and the value may be large and have secrets.
    throw Object.defineProperty(new TypeError(message), "part", { value: part });
  }
}

function valueAt(frame: Frame, index: number): unknown {
  return frame.keys === undefined ? frame.items[index] : frame.items[frame.keys[index] ?? ""];
}
