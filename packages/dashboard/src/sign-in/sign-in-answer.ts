import type { ServerResponse } from "node:http";
import type { Fault } from "@fleet-reloader/domain/fault";
import { printable } from "@fleet-reloader/runtime/log/printable";
import { sendPage } from "../answer-page.ts";
import { apiProblemOf } from "../api/send-answer.ts";

/** Sends a browser to a path by a page. A redirect would count as a request of the issuer's site, and the browser would not send our cookie. */
export function sendOnward(response: ServerResponse, path: string): void {
  const address = markupText(path);
  const onward = `<meta http-equiv="refresh" content="0;url=${address}">`;
  sendPage(
    response,
    200,
    "text/html",
    shellWith(onward, `<p><a href="${address}">Go on</a></p>`),
    "no-store",
  );
}

/** Explains why a person is not signed in, and what to do. */
export function sendNotSignedIn(response: ServerResponse, status: number, fault: Fault): void {
  const { mend, problem } = apiProblemOf(fault);
  const text = (of: string) => markupText(printable(of));
  const body = `<h1>You are not signed in</h1>
<p class="failed" role="alert">${text(problem)}</p>
<p>What to do: ${text(mend)}</p>
<p><a href="/sign-in">Sign in</a></p>`;
  sendPage(response, status, "text/html", shellWith("", body), "no-store");
}

function shellWith(head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in · fleet-reloader</title>
<link rel="stylesheet" href="/page.css">
${head}
</head>
<body>
<header><strong>fleet-reloader</strong></header>
<main id="page">
${body}
</main>
</body>
</html>
`;
}

/** Escapes a text for markup, in an attribute or between elements. */
function markupText(text: string): string {
  const names: Readonly<Record<string, string>> = {
    "&": "amp",
    "<": "lt",
    ">": "gt",
    '"': "quot",
    "'": "#39",
  };
  return text.replace(/[&<>"']/g, (sign) => `&${names[sign] ?? ""};`);
}
