import type { ApiProblem } from "@fleet-reloader/contracts/api/api-problem";
import { el, isOwnAddress, type ViewNode } from "./view-node.ts";

/** Who is signed in; an empty name: nobody, or nobody has to. Or why that is not known. */
export type SessionAnswer = { readonly name: string } | { readonly problem: ApiProblem };

/** Asks who is signed in (GET), signs in (POST) or out (DELETE). Never rejects. */
export async function askSession(method: "GET" | "POST" | "DELETE", token?: string): Promise<SessionAnswer> {
  try {
    const headers = { accept: "application/json", "content-type": "application/json" };
    const body = token === undefined ? null : JSON.stringify({ token });
    const response = await fetch("/api/v1/session", { method, headers, body });
    const answer: unknown = await response.json();
    return response.ok ? (answer as { readonly name: string }) : { problem: answer as ApiProblem };
  } catch {
    const problem = "fleet-reloader does not answer.";
    return { problem: { code: "page.unanswered", problem, mend: "Try again in a moment." } };
  }
}

/** What the header says of whoever is signed in. */
export function accountNodes(name: string): readonly ViewNode[] {
  if (name === "") return [];
  return [`Signed in as ${name} `, el("button", { type: "button", id: "sign-out" }, "Sign out")];
}

/** Where somebody signs in who was here. */
export function signInAddress(path: string, search: string): string {
  return path === "/sign-in" ? `${path}${search}` : `/sign-in?then=${encodeURIComponent(`${path}${search}`)}`;
}

/** Where somebody wanted to go before they signed in. Never to another site. */
export function addressAfterSignIn(search: string): string {
  const then = new URLSearchParams(search).get("then") ?? "/";
  return isOwnAddress(then) ? then : "/";
}

/** Where somebody signs in; with the problem, if the last try had one. */
export function signInView(problem: ApiProblem | undefined): readonly ViewNode[] {
  return [
    el("h1", {}, "Sign in"),
    ...(problem === undefined
      ? []
      : [
          el("p", { class: "failed", role: "alert" }, problem.problem),
          el("p", {}, `What to do: ${problem.mend}`),
        ]),
    // Whatever happens to the script, a token is never in an address.
    el(
      "form",
      { id: "sign-in", method: "post", action: "/sign-in" },
      el(
        "label",
        {},
        "Token ",
        el("input", { id: "token", type: "password", autocomplete: "current-password", required: "" }),
      ),
      " ",
      el("button", { type: "submit" }, "Sign in"),
    ),
    el("p", { class: "end" }, "Whoever keeps the access file of fleet-reloader gives out tokens."),
  ];
}
