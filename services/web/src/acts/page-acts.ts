import { askApi } from "../ask-api.ts";
import type { PageDocument } from "../browser.ts";
import { draw } from "../draw.ts";
import { actProgressText } from "./act-dialog.ts";
import type { ActOffer } from "./act-offer.ts";
import { RunningAct } from "./run-act.ts";

/**
 * Opens the dialog of an act when its button is used. When the dialog is closed, the browser puts the focus back on the button, and `onClosed`
 * is called, because the content of the page may have changed.
 */
export function serveActs(document: PageDocument, onClosed: () => void): void {
  const dialog = document.getElementById("act");
  if (dialog === null) return;
  const written = (name: string) => dialog.querySelector(`[name=${name}]`)?.value ?? "";
  let running: RunningAct | undefined;
  const open = (offer: ActOffer) => {
    running?.close();
    running = new RunningAct(offer, {
      show: (nodes, state) => {
        dialog.replaceChildren(...nodes.map((node) => draw(node, document)));
        dialog.querySelector(nextFocus[state] ?? "[data-close]")?.focus();
      },
      // Updates only the changed texts: the focus stays, and a screen reader announces the text politely.
      advance: (done, of) => {
        dialog.querySelector("progress")?.setAttribute("value", String(done));
        const status = dialog.querySelector("[role=status]");
        if (status !== null) status.textContent = actProgressText(done, of);
      },
      words: () => ({ reason: written("reason"), until: written("until") }),
      // An act that is sent cannot be aborted.
      send: (address, body) => askApi(address, new AbortController().signal, body),
    });
    void running.begin();
    dialog.showModal?.();
  };
  document.addEventListener("click", ({ target }) => {
    const offer = target?.closest("[data-act]")?.getAttribute("data-act") ?? "";
    if (offer !== "") open(JSON.parse(offer) as ActOffer);
    if (target?.closest("#act [data-stop]")) running?.stop();
    if (target?.closest("#act [data-close]") || target?.closest("#act a[href]")) {
      running?.close();
      dialog.close?.();
    }
  });
  document.addEventListener("submit", (event) => {
    if (!event.target?.closest("#act")) return;
    event.preventDefault();
    void running?.confirm();
  });
  // A key can leave the dialog. It is hidden at once, but its event `close` may come after the next answer.
  dialog.addEventListener("cancel", () => running?.close());
  dialog.addEventListener("close", () => {
    running?.close();
    running = undefined;
    dialog.replaceChildren();
    onClosed();
  });
}

/** The element that gets the focus in a state. In other states the person only closes the dialog. */
const nextFocus: Readonly<Record<string, string>> = { meant: "[name=reason]", doing: "[data-stop]" };
