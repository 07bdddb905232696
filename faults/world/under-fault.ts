import { messageOf } from "../../src/kernel/error-message.ts";
import { armFault } from "../shim/fault-fs.ts";
import type { FaultPlan } from "../shim/fault-plan.ts";
import type { World } from "./world.ts";

/** A fault, wherever it is put. */
export type Fault = Omit<FaultPlan, "within">;

/** What came of some work with a fault in it. */
export interface Faulted<T> {
  /** Undefined where it was killed, or ended by an error. */
  readonly result: T | undefined;
  /** The error it ended by. */
  readonly threw?: string;
  readonly fired: boolean;
  /** The names of the calls that counted. */
  readonly calls: readonly string[];
}

/** No fault: only counts. */
export const NO_FAULT: Fault = { counts: "writes", at: 0, action: "fail", code: "EIO", sticky: false };

/** A death before a call. */
export function killAt(at: number): Fault {
  return { ...NO_FAULT, at, action: "kill before" };
}

/** Does some work on a world in this process while a fault is armed; who is killed has no result. */
export function underFault<T>(context: World, fault: Fault, work: () => T): Faulted<T> {
  const armed = armFault({ ...fault, within: withinOf(context) }, { death: "silence" });
  try {
    const result = work();
    return { result: armed.dead() ? undefined : result, fired: armed.fired(), calls: armed.calls };
  } catch (thrown) {
    // A program that ends by an error has no result either, and says so by its exit code.
    if (armed.fired()) return ended(armed, thrown);
    throw thrown;
  } finally {
    armed.disarm();
  }
}

/** The same for work that waits for something. */
export async function underFaultAsync<T>(context: World, fault: Fault, work: () => Promise<T>): Promise<Faulted<T>> {
  const armed = armFault({ ...fault, within: withinOf(context) }, { death: "silence" });
  try {
    const result = await work();
    return { result: armed.dead() ? undefined : result, fired: armed.fired(), calls: armed.calls };
  } catch (thrown) {
    if (armed.fired()) return ended(armed, thrown);
    throw thrown;
  } finally {
    armed.disarm();
  }
}

function ended({ calls, dead }: ReturnType<typeof armFault>, thrown: unknown): Faulted<never> {
  return { result: undefined, fired: true, calls, ...(dead() ? {} : { threw: messageOf(thrown) }) };
}

/** The directories of a world whose calls count. */
export function withinOf({ project, places: paths }: World): string[] {
  return [project, paths.state];
}
