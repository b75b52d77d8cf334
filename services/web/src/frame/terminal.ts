import {
  isTerminalChallenge,
  terminalCheckOf,
  terminalSessionPath,
} from "@fleet-reloader/contracts/api/terminal-sign-in";
import { askApi } from "../ask-api.ts";
import type { PageDocument } from "../browser.ts";
import { el, link, type ViewNode } from "../view-node.ts";

/** The view on which a person lets a terminal sign in. It is not redrawn while it shows the code for the terminal. */
export function terminalView(name: string, query: URLSearchParams): readonly ViewNode[] {
  const challenge = query.get("challenge") ?? "";
  const title = el("h1", {}, "Sign in a terminal");
  if (name === "") return [title, el("p", {}, "Nobody signs in here. Commands are answered without it.")];
  if (!isTerminalChallenge(challenge))
    return [
      title,
      el("p", { class: "failed", role: "alert" }, "The address is none that a terminal has shown."),
      el("p", {}, "What to do: write fleet-reloader login --browser again, and open the whole address."),
    ];
  return [
    title,
    el("p", {}, "The terminal shows ", el("strong", {}, terminalCheckOf(challenge)), "."),
    el(
      "p",
      {},
      `It will ask and act as ${name} for at most 8 hours. Allow it only if you began this yourself.`,
    ),
    el(
      "p",
      { id: "terminal-choice" },
      el("button", { type: "button", id: "allow-terminal", "data-challenge": challenge }, "Allow"),
      " ",
      link("/", "Do not allow"),
    ),
    el("p", { id: "terminal-code", role: "status" }),
  ];
}

/** Lets the terminal of the view sign in, and shows the code for it. */
export function serveTerminal(document: PageDocument): void {
  document.addEventListener("click", (event) => {
    const challenge = event.target?.closest("#allow-terminal")?.getAttribute("data-challenge");
    if (typeof challenge === "string") void allow(document, challenge);
  });
}

async function allow(document: PageDocument, challenge: string): Promise<void> {
  const { signal } = new AbortController();
  const asked = await askApi(terminalSessionPath, signal, { challenge });
  const shown = document.getElementById("terminal-code");
  if (shown === null) return;
  if (asked.type === "failed") {
    shown.textContent = `Not allowed: ${asked.problem.problem} (${asked.problem.mend})`;
    return;
  }
  const { code } = asked.body as { readonly code: string };
  document.getElementById("terminal-choice")?.replaceChildren();
  shown.textContent = "Allowed. Paste this code into the terminal, and give it to nobody: ";
  const text = document.createElement("code");
  text.append(document.createTextNode(code));
  shown.append(text);
}
