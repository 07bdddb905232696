const cell = new Int32Array(new SharedArrayBuffer(4));

/** Waits without an event loop turn: what waits here holds up its whole process on purpose. */
export function pause(milliseconds: number): void {
  Atomics.wait(cell, 0, 0, milliseconds);
}
