import { type SourceRange, insideBrackets } from "./source-ranges.ts";

/** What follows a name: members and calls, such as `.skip.each(cases)("title", run)`. */
export interface CallChain {
  /** The names of members, in order. */
  readonly members: readonly string[];
  /** The arguments of each call, in order; a tagged template is a call. */
  readonly calls: readonly SourceRange[];
  /** Behind its last character. */
  readonly end: number;
}

const MEMBER = /\s*(?:\?\.|!?\.)\s*([\w$]+)/y;
const CALL = /\s*(?:<[\w$\s.,[\]|{}:;"'<>]*>\s*)?\(/y;
const TAG = /\s*`/y;

/** Reads the members and calls that begin at an offset of masked code. */
export function readChain(code: string, from: number): CallChain {
  const members: string[] = [];
  const calls: SourceRange[] = [];
  let end = from;
  for (;;) {
    const member = matchAt(MEMBER, code, end);
    const call = member === null ? matchAt(CALL, code, end) : null;
    const tag = member === null && call === null ? matchAt(TAG, code, end) : null;
    if (member !== null) {
      members.push(member[1] ?? "");
      end += member[0].length;
    } else if (call !== null || tag !== null) {
      const open = end + (call ?? tag ?? "")[0].length - 1;
      const inside = call === null ? insideTemplate(code, open) : insideBrackets(code, open);
      calls.push(inside);
      end = Math.min(code.length, inside.end + 1);
    } else {
      return { members, calls, end };
    }
  }
}

function matchAt(pattern: RegExp, code: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(code);
}

/** A template's text is blanked, so what is left between its ends are its `${…}`. */
function insideTemplate(code: string, open: number): SourceRange {
  for (let at = open + 1; at < code.length; at += 1) {
    if (code.charAt(at) === "`") return { start: open + 1, end: at };
    if (code.charAt(at) === "{") at = insideBrackets(code, at).end;
  }
  return { start: open + 1, end: code.length };
}
