import type { IncomingMessage, ServerResponse } from "node:http";
import { asFault } from "@fleet-reloader/domain/fault";
import { printable } from "@fleet-reloader/runtime/log/printable";
import { statusOfRefusal } from "../api/refusal-status.ts";
import { type AccessControl, identifyViewer } from "./access-control.ts";
import type { Viewer } from "./granted-caller.ts";
import { assertMay } from "./refuse-access.ts";

/** Answers a request of an identified viewer. */
export type ServeViewer = (viewer: Viewer, request: IncomingMessage, response: ServerResponse) => void;

/** Serves identified viewers only. A browser is sent to the sign-in; other callers get the refusal as text. Never rejects. */
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

/** Serves only viewers who see everything, because the content cannot be divided. */
export function toWhoSeesAll(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): ServeViewer {
  return (viewer, request, response) => {
    assertMay(viewer, "viewer", { cluster: "", namespace: "" });
    handle(request, response);
  };
}
