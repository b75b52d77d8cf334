import type { IncomingMessage, ServerResponse } from "node:http";
import { apiRoot } from "@fleet-reloader/contracts/api/api-routes";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { FleetOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import type { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import { isLoopbackHost } from "@fleet-reloader/runtime/config/loopback";
import { type ListenAddress, listen } from "@fleet-reloader/runtime/http/http-endpoint";
import { createActs, isOfActs } from "./acts/answer-acts.ts";
import type { DashboardActs } from "./acts/dashboard-acts.ts";
import { answerPage, isOfPage } from "./answer-page.ts";
import { createApi } from "./api/answer-api.ts";
import type { AskedFleet } from "./api/asked-routes.ts";
import { refuseApi } from "./api/refuse-api.ts";
import { answerHistory } from "./history-answer.ts";
import type { PageFiles } from "./page-files.ts";

export interface DashboardOptions {
  readonly address: ListenAddress;
  /** One for each shard. */
  readonly queues: BullWorkqueue["queues"];
  readonly reader: Pick<HistoryReader, "notReady" | "read">;
  readonly overview: FleetOverview;
  readonly asked: AskedFleet;
  /** Undefined: nobody may act. */
  readonly acts?: DashboardActs | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** The files of the page; asked with its first request. */
  readonly loadPage: () => Promise<PageFiles>;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Serves the operator's page at `/`, the API at `/api/v1`, the history at `/history` and bull-board at `/queues`. The board is read-only: its retry bypasses
 * deduplication, and its "empty" blocks Redis. It is loaded with the first request, since it takes as much memory as the rest of the
 * product. Page and API have no login, so they answer at a loopback address only; elsewhere `/` leads to the board.
 */
export function listenDashboard(options: DashboardOptions) {
  const { address, clock, loadPage, queues, reader } = options;
  const isLocal = isLoopbackHost(address.host);
  const answerApi = isLocal ? createApiOf(options) : refuseApi(address);
  const hasActs = options.acts !== undefined;
  const answerActs = isLocal ? createActsOf(options) : answerApi;
  let page: Promise<PageFiles> | undefined;
  const files = () => {
    // One that failed is tried again.
    page ??= loadPage().catch((error: unknown) => {
      page = undefined;
      throw error;
    });
    return page;
  };
  let board: Promise<Handle> | undefined;
  return listen("--dashboard-address", address, (request, response) => {
    const { pathname, searchParams } = requestAddress(request);
    if (isLocal && isOfPage(pathname)) {
      void answerPage({ load: files, hasActs }, pathname, request, response);
      return;
    }
    if (pathname === "/") {
      response.writeHead(302, { location: "/queues" }).end();
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
    if (pathname === "/history") {
      void answerHistory({ reader, clock }, request, response);
      return;
    }
    board ??= import("./queue-board.ts").then(({ createQueueBoard }) => createQueueBoard(queues));
    board.then(
      (handle) => handle(request, response),
      () =>
        response
          .writeHead(500, { "content-type": "text/plain" })
          .end("the queue dashboard cannot be loaded\n"),
    );
  });
}

function createApiOf({ asked, clock, log, overview, reader }: DashboardOptions) {
  return createApi({ asked, clock, log, overview, reader, notReady: () => reader.notReady });
}

function createActsOf({ acts, clock, log, reader }: DashboardOptions) {
  return createActs({ acts, clock, log, notReady: () => reader.notReady });
}

/** What a request asks for. An address that is none is nowhere. */
function requestAddress({ url = "/" }: IncomingMessage): Pick<URL, "pathname" | "searchParams"> {
  const { pathname, searchParams } =
    URL.parse(url, "http://dashboard") ?? new URL("http://dashboard/nowhere");
  return { pathname, searchParams };
}
