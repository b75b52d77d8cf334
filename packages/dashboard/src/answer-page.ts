import type { IncomingMessage, ServerResponse } from "node:http";
import type { PageFiles } from "./page-files.ts";

/** The page loads nothing from elsewhere, and no other page may frame it. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The same for every address, because the script reads the address. */
const shellOf = (issuer: string, acts: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>fleet-reloader</title>
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
${issuer}</head>
<body>
<a class="skip" href="#page">Skip to the content</a>
<header><strong>fleet-reloader</strong><div id="navigation"></div><span id="trouble" role="status"></span><span id="age"></span><span id="account"></span><button id="help" type="button" aria-haspopup="dialog">Keys</button></header>
<main id="page" tabindex="-1"><noscript>This page needs JavaScript. The same answers are at /api/v1/status and on the command line.</noscript></main>
<dialog id="keys" aria-labelledby="keys-title">
<h2 id="keys-title">Keys</h2>
<dl>
<dt><kbd>/</kbd></dt><dd>Go to the first filter</dd>
<dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>Go to the next or the former row</dd>
<dt><kbd>Enter</kbd></dt><dd>Open the row</dd>
<dt><kbd>?</kbd></dt><dd>Show these keys</dd>
<dt><kbd>Esc</kbd></dt><dd>Close this</dd>
</dl>
<form method="dialog"><button>Close</button></form>
</dialog>
${acts}</body>
</html>
`;

/** If the shell contains this, the page's script offers acts. */
const actDialog = '<dialog id="act" aria-labelledby="act-title"></dialog>\n';

/** The parts of the page. */
export interface ServedPage {
  readonly load: () => Promise<PageFiles>;
  /** Whether people may act on it. */
  readonly hasActs: boolean;
  /** Host of the issuer that people sign in with; undefined: they use tokens only. */
  readonly issuer: string | undefined;
}

/** If the shell names an issuer, the page's script offers it. A host contains no characters of markup. */
function issuerMark(host: string | undefined): string {
  return host === undefined ? "" : `<meta name="sign-in-issuer" content="${host}">\n`;
}

/** Whether an address belongs to the page. */
export function isOfPage(path: string): boolean {
  return /^\/(page\.(js|css)|((audit|changes|clusters|held|queue|sign-in|workloads|sources)(\/.*)?)?)$/.test(
    path,
  );
}

/** Answers an address of the page. If a file is missing, the answer names the mend. Never rejects. */
export async function answerPage(
  { hasActs, issuer, load }: ServedPage,
  path: string,
  { method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (method !== "GET" && method !== "HEAD")
    return sendPage(response, 405, "text/plain", "the page is only read: GET\n");
  try {
    const { script, style } = await load();
    if (path === "/page.js") return sendPage(response, 200, "text/javascript", script);
    if (path === "/page.css") return sendPage(response, 200, "text/css", style);
    return sendPage(response, 200, "text/html", shellOf(issuerMark(issuer), hasActs ? actDialog : ""));
  } catch {
    sendPage(response, 500, "text/plain", "the page cannot be loaded: build it with ./dev bundle\n");
  }
}

/** Sends a part of the page with headers that protect it in the browser. */
export function sendPage(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  keeping = "no-cache",
): void {
  response
    .writeHead(status, {
      "content-type": `${type}; charset=utf-8`,
      "cache-control": keeping,
      "content-security-policy": pagePolicy,
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    })
    .end(body);
}
