import type { IncomingMessage, ServerResponse } from "node:http";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { AccessControl } from "../access/access-control.ts";
import { FailedSignIns } from "../access/failed-sign-ins.ts";
import { assertSameSite } from "../access/own-page.ts";
import { createPendingCookie } from "../access/session-cookie.ts";
import { statusOfRefusal } from "../api/refusal-status.ts";
import type { IdentityIssuer } from "./identity-issuer.ts";
import { ungranted } from "./issued-person.ts";
import { ownPath } from "./own-path.ts";
import type { PendingSignIns } from "./pending-sign-ins.ts";
import { sendNotSignedIn, sendOnward } from "./sign-in-answer.ts";

/** The configuration of sign-in with an issuer. */
export interface IssuerSignIn {
  readonly issuer: IdentityIssuer;
  readonly pending: PendingSignIns;
  /** The address to which the issuer sends browsers back; undefined: the address of the browser's request. */
  readonly redirectUrl: URL | undefined;
}

export interface AnswerIssuerOptions {
  readonly signIn: IssuerSignIn;
  readonly access: AccessControl;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Pick<Log, "info" | "warn" | "error">;
}

/** The address at which a sign-in begins, and the one to which the issuer leads back. */
const beginPath = "/sign-in/issuer";
const backPath = "/sign-in/callback";

/** Whether an address belongs to the sign-in with an issuer. */
export function isOfIssuer(path: string): boolean {
  return path === beginPath || path === backPath;
}

/** Makes the handler of both addresses of a sign-in with an issuer. They are for browsers only. It never rejects. */
export function createIssuerAnswers(options: AnswerIssuerOptions) {
  const { access, clock, log } = options;
  const answering = {
    options,
    cookie: createPendingCookie({ isLocal: !access.cookie.isSecure }),
    failed: new FailedSignIns(clock),
  };
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    { pathname, searchParams }: Pick<URL, "pathname" | "searchParams">,
  ): Promise<void> => {
    try {
      assertRead(request);
      if (pathname === beginPath) await begin(answering, request, response, searchParams);
      else await end(answering, request, response, searchParams);
    } catch (error) {
      const fault = asFault(error);
      if (fault.class === "invariant")
        log.error({ reason: fault.code, err: fault.message }, "a sign-in could not be answered");
      else tell(answering, request, fault);
      sendNotSignedIn(response, statusOfRefusal(fault), fault);
    }
  };
}

interface IssuerAnswering {
  readonly options: AnswerIssuerOptions;
  readonly cookie: ReturnType<typeof createPendingCookie>;
  readonly failed: FailedSignIns;
}

/** A prefetch by a browser neither begins a sign-in nor uses one up. */
function assertRead({ method }: IncomingMessage): void {
  if (method === "GET") return;
  const mend = "open the address in a browser";
  throw refusedQuestion({
    field: "method",
    value: method ?? "",
    problem: "method: nobody signs in like this",
    mend,
  });
}

async function begin(
  { cookie, options }: IssuerAnswering,
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
): Promise<void> {
  assertSameSite(request);
  const { issuer, pending, redirectUrl } = options.signIn;
  const origin = `${cookie.isSecure ? "https" : "http"}://${request.headers.host ?? ""}`;
  const back = redirectUrl ?? new URL(backPath, origin);
  const begun = await issuer.begin({ redirectUrl: back.href, path: ownPath(query.get("then")) });
  response
    .writeHead(302, {
      location: begun.address.href,
      "set-cookie": cookie.write(pending.write(begun.pending), request),
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    })
    .end();
}

async function end(
  { cookie, options }: IssuerAnswering,
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
): Promise<void> {
  const { access, log, signIn } = options;
  const kept = cookie.read(request);
  // A pending sign-in can be tried only once.
  response.setHeader("set-cookie", cookie.write("", request));
  const pending = kept === undefined ? undefined : signIn.pending.read(kept);
  if (pending === undefined) throw notUnderWay();
  const person = await signIn.issuer.redeem(query, pending);
  const id = await access.signInIssued(person);
  if (id === undefined) throw ungranted(person);
  // Ends the session that the browser had before.
  await access.signOut(request);
  response.setHeader("set-cookie", [cookie.write("", request), access.cookie.write(id, request)]);
  log.info({ by: person.name }, "somebody has signed in with the issuer");
  sendOnward(response, ownPath(pending.path));
}

function notUnderWay(): Fault {
  const mend = "sign in again, by https and with cookies allowed";
  return new Fault(
    "access.unauthenticated",
    `no sign-in is under way in this browser, or it took longer than 10 minutes; ${mend}`,
    { context: { mend } },
  );
}

/** Logs a failed sign-in. Many failures of one address are not logged, because anybody can cause them. */
function tell({ failed, options }: IssuerAnswering, { socket }: IncomingMessage, fault: Fault): void {
  const address = socket.remoteAddress ?? "";
  if (failed.areTooMany(address)) return;
  failed.count(address);
  options.log.warn({ address, reason: fault.code, err: fault.message }, "a sign-in with the issuer failed");
}
