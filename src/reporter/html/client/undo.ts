import { type Child, announce, button, byId, el } from "./element.ts";
import { untrustedText } from "./show-text.ts";

/** Time in which a decision can be taken back before it's sent. */
const UNDO_MS = 10_000;

/** A decision that isn't sent yet: `send` sends it at once. */
type Unsent = { send: () => void };

/** The last decision, while it can be taken back. */
const last: { unsent: Unsent | null } = { unsent: null };

/** Element in which the page offers to take a decision back. */
export function undoToast() {
  addEventListener("pagehide", () => last.unsent?.send());
  return el("div", { id: "undo", class: "toast", hidden: true });
}

/**
 * Sends a decision after ten seconds, or when the next one is made or the page is left. Resolves with undefined if the
 * user takes it back.
 */
export async function sendUnlessUndone<Reply>(label: string, send: () => Promise<Reply>): Promise<Reply | undefined> {
  last.unsent?.send();
  const isKept = await new Promise<boolean>((done) => {
    const unsent = { send: () => end(true) };
    const end = (kept: boolean) => {
      clearTimeout(timer);
      if (last.unsent === unsent) {
        last.unsent = null;
        byId("undo").hidden = true;
      }
      done(kept);
    };
    const timer = setTimeout(() => end(true), UNDO_MS);
    last.unsent = unsent;
    openToast(
      label,
      button("Undo", () => end(false), { id: "undo-now" }),
      button("Apply now", () => end(true), { id: "apply-now" }),
    );
    announce(`${label}. You can undo it for ten seconds.`);
  });
  return isKept ? send() : undefined;
}

/** Shows problems of a decision whose part of the page is gone. */
export function showInToast(problems: string) {
  announce(problems);
  openToast(
    untrustedText(problems, { limit: 1000 }),
    button("Close", () => (byId("undo").hidden = true)),
  );
}

function openToast(...children: readonly Child[]) {
  const toast = byId("undo");
  toast.replaceChildren(el("div", { class: "toast-inner" }, children));
  toast.hidden = false;
}
