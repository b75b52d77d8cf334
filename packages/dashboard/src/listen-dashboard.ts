import type { IncomingMessage, ServerResponse } from "node:http";
import { apiRoot } from "@fleet-reloader/contracts/api/api-routes";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { FleetOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import type { ChangesReader } from "@fleet-reloader/redis/overview/recent-records";
import type { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import { isLoopbackHost } from "@fleet-reloader/runtime/config/loopback";
import { type ListenAddress, listen } from "@fleet-reloader/runtime/http/http-endpoint";
import type { ListenTls } from "@fleet-reloader/runtime/http/listen-tls";
import type { AccessControl } from "./access/access-control.ts";
import { createSessionAnswers, isOfSession } from "./access/answer-session.ts";
import { guardPage, type ServeViewer, toWhoSeesAll } from "./access/guard-page.ts";
import { scopeHistory } from "./access/scoped-history.ts";
import { createActs, isOfActs } from "./acts/answer-acts.ts";
import type { DashboardActs } from "./acts/dashboard-acts.ts";
import { answerPage, isOfPage } from "./answer-page.ts";
import { createApi } from "./api/answer-api.ts";
import type { AskedFleet } from "./api/asked-routes.ts";
import { refuseApi } from "./api/refuse-api.ts";
import type { WhileReadableOptions } from "./api/while-readable.ts";
import { answerHistory } from "./history-answer.ts";
import { NewsFeed, type NewsFeedOptions } from "./news/news-feed.ts";
import type { PageFiles } from "./page-files.ts";
import { createIssuerAnswers, type IssuerSignIn, isOfIssuer } from "./sign-in/answer-issuer.ts";

export interface DashboardOptions {
  readonly address: ListenAddress;
  /** The queues, one for each shard. */
  readonly queues: BullWorkqueue["queues"];
  readonly reader: Pick<HistoryReader, "notReady" | "read">;
  /** The newest records, for the answers of the API. */
  readonly records: ChangesReader;
  readonly overview: FleetOverview;
  readonly asked: AskedFleet;
  /** Tells whether there is something newer. */
  readonly freshness: NewsFeedOptions["freshness"];
  /** Undefined: nobody may act. */
  readonly acts?: DashboardActs | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Who may ask. Undefined: there is no sign-in, so page and API answer on a loopback address only. */
  readonly access?: AccessControl | undefined;
  /** Sign-in with an issuer; undefined: there is none. */
  readonly signIn?: IssuerSignIn | undefined;
  /** Undefined, or without files: no TLS. */
  readonly tls?: ListenTls | undefined;
  /** Loads the files of the page, at its first request. */
  readonly loadPage: () => Promise<PageFiles>;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Serves the operator's page at `/`, the API at `/api/v1`, the history at `/history` and bull-board at `/queues`. The board is read-only: its
 * retry bypasses deduplication, and its "empty" blocks Redis. Without sign-in, page and API answer on a loopback address only; on other
 * addresses `/` redirects to the board.
 */
export async function listenDashboard(options: DashboardOptions) {
  const { address, clock, freshness, log, reader, tls } = options;
  const news = new NewsFeed({ freshness, notReady: () => reader.notReady, clock, log });
  const { close, port } = await listen("--dashboard-address", address, createHandle(options, news), tls);
  return {
    port,
    /** The number of open streams of news. */
    get streams() {
      return news.size;
    },
    async close() {
      news.close();
      await close();
    },
  };
}

function createHandle(options: DashboardOptions, news: NewsFeed): Handle {
  const { access, acts, address, asked, clock, log, overview, queues, reader, records, signIn } = options;
  const notReady = () => reader.notReady;
  const isServed = isLoopbackHost(address.host) || access !== undefined;
  const answerApi = isServed
    ? createApi({ access, asked, clock, log, news, overview, reader: records, notReady })
    : refuseApi(address);
  const answerActs = isServed ? createActs({ acts, clock, log, notReady }) : answerApi;
  const answerSession = createSessionAnswers({ access, clock, log });
  const answerIssuer = access && signIn && createIssuerAnswers({ access, signIn, clock, log });
  const issuer = access && signIn?.issuer.host;
  const page = { load: readOnce(options.loadPage), hasActs: acts !== undefined, issuer };
  const serveBoard = createBoardPage(queues, { clock, notReady });
  const serveHistory = createHistoryPage(reader, clock);
  return (request, response) => {
    const { pathname, searchParams } = requestAddress(request);
    if (answerIssuer !== undefined && isOfIssuer(pathname)) {
      void answerIssuer(request, response, { pathname, searchParams });
      return;
    }
    if (isServed && isOfPage(pathname)) {
      void answerPage(page, pathname, request, response);
      return;
    }
    if (pathname === "/") {
      response.writeHead(302, { location: "/queues" }).end();
      return;
    }
    if (isServed && isOfSession(pathname)) {
      void answerSession(request, response, { pathname });
      return;
    }
    if (isOfActs(pathname)) {
      void answerActs(request, response, { pathname, searchParams });
      return;
    }
    if (pathname === apiRoot || pathname.startsWith(`${apiRoot}/`)) {
      void answerApi(request, response, { pathname, searchParams });
      return;
    }
    void guardPage(access, request, response, pathname === "/history" ? serveHistory : serveBoard);
  };
}

function createHistoryPage(reader: DashboardOptions["reader"], clock: Clock): ServeViewer {
  const notReady = () => reader.notReady;
  return (viewer, request, response) => {
    void answerHistory({ reader: scopeHistory(reader, viewer), notReady, clock }, request, response);
  };
}

/** Loads the board at the first request, because it takes as much memory as the rest of the product. */
function createBoardPage(queues: DashboardOptions["queues"], redis: WhileReadableOptions): ServeViewer {
  let board: Promise<Handle> | undefined;
  return toWhoSeesAll((request, response) => {
    board ??= import("./queue-board.ts").then(({ createQueueBoard }) => createQueueBoard(queues, redis));
    board.then(
      (handle) => handle(request, response),
      () =>
        response
          .writeHead(500, { "content-type": "text/plain" })
          .end("the queue dashboard cannot be loaded\n"),
    );
  });
}

/** Reads the files at the first request. A failed read is tried again. */
function readOnce(load: () => Promise<PageFiles>): () => Promise<PageFiles> {
  let page: Promise<PageFiles> | undefined;
  return () => {
    page ??= load().catch((error: unknown) => {
      page = undefined;
      throw error;
    });
    return page;
  };
}

/** The address of a request. An invalid one matches no route. */
function requestAddress({ url = "/" }: IncomingMessage): Pick<URL, "pathname" | "searchParams"> {
  const { pathname, searchParams } =
    URL.parse(url, "http://dashboard") ?? new URL("http://dashboard/nowhere");
  return { pathname, searchParams };
}
