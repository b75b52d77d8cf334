import type { ApiProblem } from "@fleet-reloader/contracts/api/api-problem";
import { el, type ViewNode } from "../view-node.ts";

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
