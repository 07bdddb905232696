/**
 * Handles Ctrl-C and similar signals by ending a run, not the process, until the returned function is called, because
 * the run has to clean up first. A second signal has no effect.
 */
export function handleSignals(act: () => void): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, act);
  return () => {
    for (const signal of signals) process.off(signal, act);
  };
}
