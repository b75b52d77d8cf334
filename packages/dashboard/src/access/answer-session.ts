import type { IncomingMessage, ServerResponse } from "node:http";
import { sessionPath } from "@fleet-reloader/contracts/api/api-routes";
import { isTerminalChallenge, terminalSessionPath } from "@fleet-reloader/contracts/api/terminal-sign-in";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import { jsonText, parseJson } from "@fleet-reloader/domain/json";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { bearerToken } from "@fleet-reloader/runtime/access/token-digest";
import { statusOfRefusal } from "../api/refusal-status.ts";
import { sendAnswer, sendProblem } from "../api/send-answer.ts";
import { type AccessControl, identifyViewer } from "./access-control.ts";
import { FailedSignIns } from "./failed-sign-ins.ts";
import { assertOwnPage, assertSameSite } from "./own-page.ts";
import { unauthenticated } from "./refuse-access.ts";

export interface AnswerSessionOptions {
  /** Undefined: there is no sign-in. */
  readonly access: AccessControl | undefined;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Pick<Log, "info" | "warn" | "error">;
}

/** Maximum size of a body. A token has 43 characters. */
const bodyBytesMax = 4096;

/** Whether this file answers an address. */
export function isOfSession(path: string): boolean {
  return path === sessionPath || path === terminalSessionPath;
}

/**
 * Makes the handler of `/api/v1/session`: the caller's name (GET), sign-in (POST), sign-out (DELETE); and of `/api/v1/session/terminal`: the
 * sign-in of a terminal (POST). It never rejects.
 */
export function createSessionAnswers({ access, clock, log }: AnswerSessionOptions) {
  const failed = new FailedSignIns(clock);
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    { pathname }: Pick<URL, "pathname">,
  ): Promise<void> => {
    try {
      assertSameSite(request);
      const answering = { access, failed, log };
      const answer =
        pathname === terminalSessionPath
          ? await letTerminalIn(answering, request)
          : { name: await answerOf(answering, request, response) };
      sendAnswer(request, response, 200, JSON.stringify(answer));
    } catch (error) {
      const fault = asFault(error);
      if (fault.class === "invariant")
        log.error({ reason: fault.code, err: fault.message }, "a sign-in could not be answered");
      sendProblem(request, response, statusOfRefusal(fault), fault);
    }
  };
}

interface Answering extends Pick<AnswerSessionOptions, "access" | "log"> {
  readonly failed: FailedSignIns;
}

async function answerOf(
  { access, failed, log }: Answering,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string> {
  const { method } = request;
  if (method === "GET" || method === "HEAD") return (await identifyViewer(access, request)).name;
  if (access === undefined || (method !== "POST" && method !== "DELETE"))
    throw refusedMethod(method, access, "write GET, POST or DELETE");
  // A page of another site does not know a token.
  if (method === "POST" || bearerToken(request) === undefined) assertOwnPage(request);
  if (method === "POST") return await signIn({ access, failed, log }, request, response);
  await access.signOut(request);
  response.setHeader("set-cookie", access.cookie.write("", request));
  return "";
}

async function signIn(
  { access, failed, log }: Answering & { readonly access: AccessControl },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string> {
  const address = request.socket.remoteAddress ?? "";
  assertKeepsCookie(access, request);
  const token = jsonText(parseJson(await bodyText(request)), "token");
  const session = token === undefined ? undefined : await access.signIn(token.trim());
  if (session === undefined) {
    // A right token is accepted even after many failures, because many people may share an address, for example that of a proxy.
    failed.assertMayTry(address);
    failed.count(address);
    log.warn({ address }, "a sign-in failed: no person has the token");
    throw unauthenticated("no person in the access file has this token");
  }
  // Ends the session that the browser had before.
  await access.signOut(request);
  response.setHeader("set-cookie", access.cookie.write(session.id, request));
  log.info({ by: session.name }, "somebody has signed in");
  return session.name;
}

/** Gives a signed-in person the code for a terminal. */
async function letTerminalIn({ access, log }: Answering, request: IncomingMessage) {
  const { method } = request;
  if (access === undefined || method !== "POST") throw refusedMethod(method, access, "write POST");
  assertOwnPage(request);
  const challenge = jsonText(parseJson(await bodyText(request)), "challenge") ?? "";
  if (!isTerminalChallenge(challenge))
    throw refusedQuestion({
      field: "challenge",
      value: challenge.slice(0, 253),
      problem: "challenge: it is none of a terminal",
      mend: "write fleet-reloader login --browser, and open the address that it shows",
    });
  const signed = await access.signInTerminal(request, challenge);
  log.info({ by: signed.name }, "somebody has let a terminal sign in");
  return signed;
}

function refusedMethod(method: string | undefined, access: AccessControl | undefined, mend: string): Fault {
  return refusedQuestion({
    field: "method",
    value: method ?? "",
    problem: "method: nobody signs in like this",
    mend: access === undefined ? "start with --access-file to let people sign in" : mend,
  });
}

/** Faults if the browser would drop the cookie and return to the sign-in without a message. */
function assertKeepsCookie({ cookie }: AccessControl, { headers }: IncomingMessage): void {
  const { origin = "" } = headers;
  if (!cookie.isSecure || !origin.startsWith("http:")) return;
  const mend = "open the page by https, or forward a port to a process that listens at 127.0.0.1";
  throw new Fault("access.forbidden", `Origin: browsers keep the sign-in by https only; ${mend}`, {
    context: { field: "Origin", value: origin.slice(0, 253), mend },
  });
}

/** Faults with `question.invalid` when it is too large. */
async function bodyText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > bodyBytesMax)
      throw refusedQuestion({
        field: "body",
        value: "",
        problem: `body: it has more than ${bodyBytesMax} bytes`,
        mend: "write the JSON of one token or one challenge",
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
