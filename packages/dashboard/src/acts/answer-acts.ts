import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type ActAnswer,
  type ActName,
  actAnswer,
  actNames,
  actRoutes,
  actsRoot,
  permissionsRoute,
} from "@fleet-reloader/contracts/api/act-routes";
import { statusOfFault } from "@fleet-reloader/contracts/api/api-problem";
import { readActBody } from "@fleet-reloader/contracts/api/read-act-body";
import { readApiQuery } from "@fleet-reloader/contracts/api/read-api-query";
import { asFault, type Fault } from "@fleet-reloader/domain/fault";
import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";
import { readByWatchers } from "@fleet-reloader/engine/act/freeze-reading";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { linkedAbort } from "@fleet-reloader/engine/async/linked-abort";
import { Semaphore } from "@fleet-reloader/engine/async/semaphore";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import { chosenClusters } from "@fleet-reloader/engine/overview/registered-clusters";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { printableJson } from "@fleet-reloader/runtime/log/printable";
import type { AnswerApi, ApiAddress } from "../api/answer-api.ts";
import { sendAnswer, sendProblem } from "../api/send-answer.ts";
import { assertReadable, type WhileReadableOptions, whileReadable } from "../api/while-readable.ts";
import { ProgressSeal } from "./act-progress.ts";
import { checkActRequest, checkPermissionsRequest, readActJson } from "./act-request.ts";
import { answerDiscard } from "./answer-discard.ts";
import { BegunAct } from "./begun-act.ts";
import type { ActingPerson, DashboardActs } from "./dashboard-acts.ts";
import { type ActOutcome, answerFreeze, answerLift, toldReading } from "./freeze-acts.ts";
import { answerObjectAct } from "./object-acts.ts";
import { nobodySignedIn, permittedActs } from "./permissions.ts";

export interface AnswerActsOptions {
  /** Undefined: there is no sign-in, so nobody may act. */
  readonly acts: DashboardActs | undefined;
  /** Reasons why Redis cannot be read, one a line. */
  readonly notReady: () => readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Acts at the same time. Rolls need Redis too, and an act reads the workloads of all clusters in its scope. */
const actsAtOnce = 2;
/** After this time the next act begins, even if a slow one goes on. */
const actTurnMs = 30_000;

/** Whether an address belongs to the acts. */
export function isOfActs(path: string): boolean {
  return path === actsRoot || path.startsWith(`${actsRoot}/`);
}

/** Makes the handler of `/api/v1/acts`: a person's permissions, and the acts. */
export function createActs(options: AnswerActsOptions): AnswerApi {
  const { acts, clock, log, notReady } = options;
  const redis = { clock, notReady };
  const progress = new ProgressSeal();
  const turns = new Semaphore({ atOnce: actsAtOnce, longestMs: actTurnMs, clock });
  return async (request, response, address) => {
    const closed = new AbortController();
    response.once("close", () => closed.abort());
    try {
      if (address.pathname === actsRoot) {
        checkPermissionsRequest(request);
        const answer = permissionsRoute.answer.parse(await permissionsOf(acts, request, address));
        return sendAnswer(request, response, 200, printableJson(JSON.stringify(answer)));
      }
      const act = actIn(address);
      checkActRequest(request);
      if (acts === undefined) throw nobodySignedIn();
      const caller = await acts.identify(request);
      const { isDryRun, perform } = performAs(act, await readActJson(request));
      assertReadable(notReady);
      using given = linkedAbort(closed.signal);
      const begun = new BegunAct(isDryRun);
      const work = turns.during(given.signal, async () => {
        const registered = await registeredFor(act, acts);
        begun.begin(given.signal);
        return await perform({ acts, caller, registered, progress });
      });
      const answer = whileReadable(work, redis, closed.signal).finally(given.abort);
      const done = await toldOutcome(await begun.outcomeOf(answer), { acts, redis, signal: closed.signal });
      sendAnswer(request, response, 200, printableJson(JSON.stringify(actAnswer.parse(done))));
    } catch (error) {
      if (closed.signal.aborted) return;
      const fault = asFault(error);
      const broken = fault.code === "act.unknown" ? asFault(fault.cause) : fault;
      if (broken.class === "invariant")
        log.error({ reason: broken.code, err: broken.message, path: address.pathname }, "act failed");
      refuseAct(request, response, fault, address.pathname === actsRoot ? "GET, HEAD" : "POST");
    }
  };
}

interface TellingOptions {
  readonly acts: DashboardActs;
  readonly redis: WhileReadableOptions;
  readonly signal: AbortSignal;
}

/**
 * The answer to an act. The answer to a freeze waits until a watcher has read the freeze. It does not delay other acts, because its turn is over
 * by then.
 */
async function toldOutcome(
  { answer, written }: ActOutcome,
  { acts, redis, signal }: TellingOptions,
): Promise<ActAnswer> {
  if (written === undefined) return answer;
  const { clock, readings } = acts.fleet;
  using waiting = linkedAbort(signal);
  const reading = readByWatchers(written.freeze, { readings, clock }, waiting.signal);
  const asked = whileReadable(reading, redis, signal).finally(waiting.abort);
  return await toldReading(answer, written, asked);
}

async function permissionsOf(
  acts: DashboardActs | undefined,
  request: IncomingMessage,
  { searchParams }: ApiAddress,
) {
  const { place: places } = readApiQuery(permissionsRoute.query, searchParams);
  if (acts === undefined) return { by: "", places: Object.fromEntries(places.map((place) => [place, []])) };
  const caller = await acts.identify(request);
  const permitted = places.map((place) => {
    // The name of a cluster may contain a slash, that of a namespace does not.
    const slash = place.lastIndexOf("/");
    const named = { cluster: place.slice(0, Math.max(0, slash)), namespace: place.slice(slash + 1) };
    return [place, permittedActs(caller, named)] as const;
  });
  return { by: caller.name, places: Object.fromEntries(permitted) };
}

function actIn({ pathname }: ApiAddress): ActName {
  const act = actNames.find((name) => pathname === `${actsRoot}/${name}`);
  if (act !== undefined) return act;
  const near = nearestName(pathname.slice(actsRoot.length + 1), actNames);
  throw refusedQuestion({
    field: "path",
    value: pathname,
    problem: "path: the API has no such act",
    mend:
      near !== undefined
        ? `did you mean ${actsRoot}/${near}?`
        : `the acts are ${actNames.map((name) => `${actsRoot}/${name}`).join(", ")}`,
  });
}

/** A freeze is written even if no cluster is listed, so that it does not have to wait for a watcher to come back. */
async function registeredFor(act: ActName, { fleet }: DashboardActs) {
  if (act === "freeze" || act === "lift") return (await fleet.overview.clusters()) ?? [];
  return await chosenClusters(fleet.overview, "");
}

/** An act with a checked body. `perform` does it for a person. */
interface CheckedAct {
  readonly isDryRun: boolean;
  readonly perform: (person: ActingPerson) => Promise<ActOutcome>;
}

/** Checks the body of an act. */
function performAs(act: ActName, given: unknown): CheckedAct {
  switch (act) {
    case "retry":
    case "replay":
    case "release": {
      const body = readActBody(actRoutes[act].body, given);
      return { isDryRun: body.dryRun, perform: (person) => plainOutcome(answerObjectAct(act, body, person)) };
    }
    case "discard": {
      const body = readActBody(actRoutes[act].body, given);
      return { isDryRun: body.dryRun, perform: (person) => plainOutcome(answerDiscard(body, person)) };
    }
    case "freeze": {
      const body = readActBody(actRoutes[act].body, given);
      return { isDryRun: body.dryRun, perform: (person) => answerFreeze(body, person) };
    }
    case "lift": {
      const body = readActBody(actRoutes[act].body, given);
      return { isDryRun: body.dryRun, perform: (person) => plainOutcome(answerLift(body, person)) };
    }
  }
}

async function plainOutcome(answer: Promise<ActAnswer>): Promise<ActOutcome> {
  return { answer: await answer };
}

const statusOfField: Readonly<Record<string, number>> = {
  path: 404,
  method: 405,
  "Sec-Fetch-Site": 403,
  Origin: 403,
  caller: 403,
  "Content-Type": 415,
  "Content-Length": 413,
};

function refuseAct(request: IncomingMessage, response: ServerResponse, fault: Fault, allow: string): void {
  const { count, field = "" } = fault.context;
  const status = count === undefined ? statusOfField[String(field)] : 409;
  // Discards the rest of the body: closing the connection earlier would lose the answer.
  request.resume();
  sendProblem(request, response, status ?? statusOfFault(fault.code), fault, allow);
}
