import type { IncomingMessage, ServerResponse } from "node:http";
import { asFault } from "@fleet-reloader/domain/fault";
import { printable } from "@fleet-reloader/runtime/log/printable";
import { statusOfRefusal } from "../api/refusal-status.ts";
import { type AccessControl, identifyViewer } from "./access-control.ts";
import type { Viewer } from "./granted-caller.ts";
import { assertMay } from "./refuse-access.ts";

/** What answers a request of somebody who is known. */
export type ServeViewer = (viewer: Viewer, request: IncomingMessage, response: ServerResponse) => void;

/** Answers nobody who is not known. A browser is sent to sign in; others get the refusal as text. Never rejects. */
export async function guardPage(
  access: AccessControl | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  serve: ServeViewer,
): Promise<void> {
  try {
    serve(await identifyViewer(access, request), request, response);
  } catch (error) {
    const fault = asFault(error);
    const isBrowser = request.headers.accept?.includes("text/html") === true;
    if (fault.code === "access.unauthenticated" && isBrowser) {
      const then = encodeURIComponent(request.url ?? "/");
      response.writeHead(302, { location: `/sign-in?then=${then}`, "cache-control": "no-store" }).end();
      return;
    }
    const type = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
    response.writeHead(statusOfRefusal(fault), type).end(`${printable(fault.message)}\n`);
  }
}

/** Serves only who sees everything: what it serves cannot be divided. */
export function toWhoSeesAll(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): ServeViewer {
  return (viewer, request, response) => {
    assertMay(viewer, "viewer", { cluster: "", namespace: "" });
    handle(request, response);
  };
}
