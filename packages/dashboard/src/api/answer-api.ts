import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { noParameters } from "@fleet-reloader/contracts/api/api-query";
import { type ApiRouteName, apiRoutes } from "@fleet-reloader/contracts/api/api-routes";
import { readApiQuery } from "@fleet-reloader/contracts/api/read-api-query";
import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { Semaphore } from "@fleet-reloader/engine/async/semaphore";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { printableJson } from "@fleet-reloader/runtime/log/printable";
import { type AccessControl, identifyViewer } from "../access/access-control.ts";
import type { Viewer } from "../access/granted-caller.ts";
import { assertSameSite } from "../access/own-page.ts";
import { assertMay } from "../access/refuse-access.ts";
import { scopeAsking } from "../access/scoped-asking.ts";
import { scopeFleet } from "../access/scoped-fleet.ts";
import { scopeRecords } from "../access/scoped-history.ts";
import { answerNews, isOfNews } from "../news/answer-news.ts";
import type { NewsFeed } from "../news/news-feed.ts";
import { type ApiQuestion, readApiQuestion } from "./api-question.ts";
import { type AskedFleet, createAskedRoutes, type PathObject } from "./asked-routes.ts";
import { CursorSeal } from "./cursor-seal.ts";
import { FleetRoutes, type FleetRoutesOptions, type TakePage } from "./fleet-routes.ts";
import { answerBytesMax, pageOf } from "./page.ts";
import { statusOfRefusal } from "./refusal-status.ts";
import { sendAnswer, sendProblem } from "./send-answer.ts";
import { SharedAnswers } from "./shared-answers.ts";
import { assertReadable, whileReadable } from "./while-readable.ts";

export interface ApiOptions extends Omit<FleetRoutesOptions, "seesAll"> {
  readonly asked: AskedFleet;
  readonly log: Log;
  /** Undefined: there is no sign-in, and every caller sees everything. */
  readonly access?: AccessControl | undefined;
  /** Reasons why Redis cannot be read, one a line. */
  readonly notReady: () => readonly string[];
  readonly news: NewsFeed;
}

/** Questions that are answered at the same time, counted separately for Redis and for clusters. Rolls need both too. */
const questionsAtOnce = 4;
/** After this time the next question begins, even if a slow one goes on. */
const questionTurnMs = 30_000;

/** The parts of an address that the API reads. */
export type ApiAddress = Pick<URL, "pathname" | "searchParams">;

/** Answers `GET /api/v1/…`. Never rejects. */
export type AnswerApi = (
  request: IncomingMessage,
  response: ServerResponse,
  address: ApiAddress,
) => Promise<void>;

/** Answers one route. */
type AnswerRoute = (asked: ApiQuestion, signal: AbortSignal) => Promise<unknown>;

/** Makes what answers the API. */
export function createApi(options: ApiOptions): AnswerApi {
  const { access, clock, log, news, notReady, overview, reader } = options;
  const answer = createAnswers({ asked: options.asked, clock, overview, reader });
  return async (request, response, address) => {
    const closed = new AbortController();
    // After an answer there is nothing left to abort.
    response.once("close", () => {
      if (!response.writableFinished) closed.abort();
    });
    let asked: ApiQuestion | undefined;
    try {
      assertSameSite(request);
      const viewer = await identifyViewer(access, request);
      if (closed.signal.aborted) return;
      assertReading(request);
      if (isOfNews(address.pathname))
        return streamNews({ access, news, notReady }, viewer, request, response, address);
      asked = readApiQuestion(address);
      assertReadable(notReady);
      const work = answer(asked, viewer, closed.signal);
      sendAnswer(request, response, 200, await whileReadable(work, { clock, notReady }, closed.signal));
    } catch (error) {
      if (closed.signal.aborted) return;
      const fault = asFault(error);
      if (fault.class === "invariant")
        log.error({ reason: fault.code, err: fault.message, path: address.pathname }, "question failed");
      sendProblem(request, response, statusOfRefusal(fault, asked?.route), fault);
    }
  };
}

/** Answers a checked question with the bytes of JSON. They are made once and sent to all who ask the same. */
type AnswerAsked = (asked: ApiQuestion, viewer: Viewer, signal: AbortSignal) => Promise<Buffer>;

/** What the routes answer from. */
type RoutesOptions = Pick<ApiOptions, "asked" | "clock" | "overview" | "reader">;

function createAnswers(options: RoutesOptions): AnswerAsked {
  const turnsOf = createTurns(options.clock);
  const seal = new CursorSeal(randomBytes(32));
  const shared = new SharedAnswers<Buffer>(options.clock);
  return (asked, viewer, signal) => {
    const answer = (until: AbortSignal) =>
      turnsOf(asked.route).during(until, () => answerText(createRoutes(options, viewer, seal), asked, until));
    // Viewers who see everything share an answer. Questions to clusters are not shared, because a cluster may hang.
    return viewer.seesAll && !isOfClusters(asked.route)
      ? shared.ask(wholeText(asked), answer, signal)
      : answer(signal);
  };
}

function streamNews(
  { access, news, notReady }: Pick<ApiOptions, "access" | "news" | "notReady">,
  { name, seesAll }: Viewer,
  request: IncomingMessage,
  response: ServerResponse,
  { searchParams }: ApiAddress,
): void {
  readApiQuery(noParameters, searchParams);
  assertReadable(notReady);
  const to = { feed: news, seesQueue: seesAll, reader: access === undefined ? undefined : name };
  answerNews(to, request, response);
}

/** The routes, limited to what one viewer sees. */
function createRoutes(
  { asked, clock, overview, reader }: RoutesOptions,
  viewer: Viewer,
  seal: CursorSeal,
): Readonly<Record<ApiRouteName, AnswerRoute>> {
  const fleet = new FleetRoutes({
    overview: scopeFleet(overview, viewer),
    reader: scopeRecords(reader, viewer),
    clock,
    seesAll: viewer.seesAll,
  });
  const about = (object: PathObject) => createAskedRoutes(scopeAsking({ asked, overview }, viewer, object));
  const pages = (given: ApiQuestion, wanted: WantedPage) => pagerOf(given, wanted, seal);
  return {
    status: async (given, signal) =>
      await fleet.status(readApiQuery(apiRoutes.status.query, given.parameters), signal),
    clusters: async (given) => {
      const query = readApiQuery(apiRoutes.clusters.query, given.parameters);
      return await fleet.clusters(query, pages(given, query));
    },
    changes: async (given, signal) => {
      const query = readApiQuery(apiRoutes.changes.query, given.parameters);
      return await fleet.changes(query, pages(given, query), signal);
    },
    change: async (given, signal) => {
      const query = readApiQuery(apiRoutes.change.query, given.parameters);
      return await fleet.change(given.path.change ?? "", query, pages(given, query), signal);
    },
    held: async (given) => {
      const query = readApiQuery(apiRoutes.held.query, given.parameters);
      return await fleet.held(query, pages(given, query));
    },
    queue: async (given, signal) =>
      await fleet.queue(readApiQuery(apiRoutes.queue.query, given.parameters), signal),
    activity: async (given, signal) =>
      await fleet.activity(readApiQuery(apiRoutes.activity.query, given.parameters), signal),
    operators: async (given, signal) => {
      // Records of operators may be about anything and contain their own words.
      assertMay(viewer, "viewer", everywhere);
      const query = readApiQuery(apiRoutes.operators.query, given.parameters);
      return await fleet.operators(query, pages(given, query), signal);
    },
    managed: async (given) => {
      const query = readApiQuery(apiRoutes.managed.query, given.parameters);
      return await fleet.managed(query, pages(given, query));
    },
    workload: async (given, signal) => {
      const query = readApiQuery(apiRoutes.workload.query, given.parameters);
      const object = objectIn(given);
      return await about(object).workload(object, pages(given, query), signal);
    },
    source: async (given, signal) => {
      const query = readApiQuery(apiRoutes.source.query, given.parameters);
      const object = objectIn(given);
      return await about(object).source(object, query, pages(given, query), signal);
    },
  };
}

interface WantedPage {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Returns the page that a question asks for. */
function pagerOf(given: ApiQuestion, { limit, cursor }: WantedPage, seal: CursorSeal): TakePage {
  return (list) => pageOf(list, { query: unpagedText(given), limit, cursor }, seal);
}

const everywhere = { cluster: "", namespace: "" };

function objectIn({ path }: ApiQuestion): PathObject {
  const { cluster = "", kind = "", namespace = "", name = "" } = path;
  return { cluster, kind, namespace, name };
}

/** The question without limit and cursor. A cursor is bound to this text. */
function unpagedText({ route, path, parameters }: ApiQuestion): string {
  const rest = [...parameters].filter(([name]) => name !== "limit" && name !== "cursor");
  return JSON.stringify([route, path, rest.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))]);
}

function wholeText({ route, path, parameters }: ApiQuestion): string {
  return JSON.stringify([route, path, [...parameters]]);
}

/** A question to a dead cluster keeps its turn for long. Questions that Redis alone answers do not wait for such turns. */
function createTurns(clock: Clock): (route: ApiRouteName) => Semaphore {
  const limits = { atOnce: questionsAtOnce, longestMs: questionTurnMs, clock };
  const ofRedis = new Semaphore(limits);
  const ofClusters = new Semaphore(limits);
  return (route) => (isOfClusters(route) ? ofClusters : ofRedis);
}

function isOfClusters(route: ApiRouteName): boolean {
  return route === "workload" || route === "source";
}

/** The answer as JSON. It contains only fields that the contract of its route names. */
async function answerText(
  routes: Readonly<Record<ApiRouteName, AnswerRoute>>,
  given: ApiQuestion,
  signal: AbortSignal,
): Promise<Buffer> {
  const answer = apiRoutes[given.route].answer.parse(await routes[given.route](given, signal));
  const bytes = Buffer.from(`${printableJson(JSON.stringify(answer))}\n`);
  if (bytes.length <= answerBytesMax) return bytes;
  throw refusedQuestion({
    field: "limit",
    value: given.parameters.get("limit") ?? "",
    problem: `limit: one element of the answer is larger than ${answerBytesMax / 1024} KiB`,
    mend: "ask the command line with -o json, which answers any size",
  });
}

function assertReading({ method }: IncomingMessage): void {
  if (method !== "GET" && method !== "HEAD")
    throw refusedQuestion({
      field: "method",
      value: method ?? "",
      problem: "method: the API is only read",
      mend: "write GET",
    });
}
