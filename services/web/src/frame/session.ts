import type { ApiProblem } from "@fleet-reloader/contracts/api/api-problem";
import type { PageDocument } from "../browser.ts";
import { el, isOwnAddress, link, type ViewNode } from "../view-node.ts";

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

/** The signed-in person in the header. */
export function accountNodes(name: string): readonly ViewNode[] {
  if (name === "") return [];
  return [`Signed in as ${name} `, el("button", { type: "button", id: "sign-out" }, "Sign out")];
}

/** Host of the issuer with which people sign in, as the shell names it; empty: none. */
export function offeredIssuer(document: Pick<PageDocument, "querySelectorAll">): string {
  const [mark] = document.querySelectorAll("meta[name='sign-in-issuer']");
  return mark?.getAttribute("content") ?? "";
}

/** Where somebody signs in who was here. */
export function signInAddress(path: string, search: string): string {
  return path === "/sign-in" ? `${path}${search}` : `/sign-in?then=${encodeURIComponent(`${path}${search}`)}`;
}

/** Where somebody wanted to go before they signed in. Never to another site. */
export function addressAfterSignIn(query: URLSearchParams): string {
  const then = query.get("then") ?? "/";
  return isOwnAddress(then) ? then : "/";
}

/** Where somebody signs in, and where they wanted to go. */
export interface SignInOffer {
  /** The last try had one. */
  readonly problem: ApiProblem | undefined;
  /** Host of the issuer with which people sign in; empty: none. */
  readonly issuer: string;
  readonly path: string;
}

/** Where somebody signs in. */
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
            // Not a view: a page of the server, which leads to the issuer.
            link(`/sign-in/issuer?then=${encodeURIComponent(path)}`, `Sign in with ${issuer}`),
            ", or with a token:",
          ),
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
