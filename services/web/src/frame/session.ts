import type { ApiProblem } from "@fleet-reloader/contracts/api/api-problem";
import type { PageDocument } from "../browser.ts";
import { el, isOwnAddress, link, type ViewNode } from "../view-node.ts";

/** The name of the signed-in person, or why it is not known. Empty: nobody is signed in, or there is no sign-in. */
export type SessionAnswer = { readonly name: string } | { readonly problem: ApiProblem };

/** Asks for the signed-in person (GET), signs in (POST) or out (DELETE). Never rejects. */
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

/** The signed-in person in the header. */
export function accountNodes(name: string): readonly ViewNode[] {
  if (name === "") return [];
  return [`Signed in as ${name} `, el("button", { type: "button", id: "sign-out" }, "Sign out")];
}

/** Host of the issuer that people sign in with, as the shell names it; empty: none. */
export function offeredIssuer(document: Pick<PageDocument, "querySelectorAll">): string {
  const [mark] = document.querySelectorAll("meta[name='sign-in-issuer']");
  return mark?.getAttribute("content") ?? "";
}

/** The address of the sign-in, which leads back to this address. */
export function signInAddress(path: string, search: string): string {
  return path === "/sign-in" ? `${path}${search}` : `/sign-in?then=${encodeURIComponent(`${path}${search}`)}`;
}

/** The address to open after sign-in. It is never on another site. */
export function addressAfterSignIn(query: URLSearchParams): string {
  const then = query.get("then") ?? "/";
  return isOwnAddress(then) ? then : "/";
}

/** What the sign-in view shows. */
export interface SignInOffer {
  /** The problem of the last try. */
  readonly problem: ApiProblem | undefined;
  /** Host of the issuer that people sign in with; empty: none. */
  readonly issuer: string;
  readonly path: string;
}

/** The sign-in view. */
export function signInView({ issuer, path, problem }: SignInOffer): readonly ViewNode[] {
  return [
    el("h1", {}, "Sign in"),
    ...(problem === undefined
      ? []
      : [
          el("p", { class: "failed", role: "alert" }, problem.problem),
          el("p", {}, `What to do: ${problem.mend}`),
        ]),
    ...(issuer === ""
      ? []
      : [
          el(
            "p",
            {},
            // Not a view: a page of the server, which redirects to the issuer.
            link(`/sign-in/issuer?then=${encodeURIComponent(path)}`, `Sign in with ${issuer}`),
            ", or with a token:",
          ),
        ]),
    // Sent by POST, so that the token is in no address even if the script fails.
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
