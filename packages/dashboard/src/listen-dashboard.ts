import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import type { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import { type ListenAddress, listen } from "@fleet-reloader/runtime/http/http-endpoint";
import { answerHistory } from "./history-answer.ts";

export interface DashboardOptions {
  readonly address: ListenAddress;
  /** One for each shard. */
  readonly queues: BullWorkqueue["queues"];
  readonly reader: Pick<HistoryReader, "notReady" | "read">;
  readonly clock: Clock;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Serves the history at `/history` and bull-board at `/queues`. The board is read-only: its retry bypasses deduplication, and its "empty"
 * blocks Redis. It is loaded with the first request, since it takes as much memory as the rest of the product.
 */
export function listenDashboard({ address, queues, ...history }: DashboardOptions) {
  let board: Promise<Handle> | undefined;
  return listen("--dashboard-address", address, (request, response) => {
    if (request.url === "/" || request.url === undefined) {
      response.writeHead(302, { location: "/queues" }).end();
      return;
    }
    if (/^\/history($|\?)/.test(request.url)) {
      void answerHistory(history, request, response);
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
