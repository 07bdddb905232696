/**
 * Has Ctrl-C and the like end a run, not the process, until the function handed back is called: what the run made must
 * go first. A second signal changes nothing.
 */
export function onSignals(act: () => void): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, act);
  return () => {
    for (const signal of signals) process.off(signal, act);
  };
}
