import type { IncomingMessage, ServerResponse } from "node:http";
import type { BullWorkqueue } from "@fleet-reloader/redis/bull-workqueue";
import { type ListenAddress, listen } from "@fleet-reloader/runtime/http-endpoint";

export interface DashboardOptions {
  readonly address: ListenAddress;
  /** One for each shard. */
  readonly queues: BullWorkqueue["queues"];
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * bull-board at `/queues`, read-only: its retry would go around deduplication, and "empty" holds Redis up for everybody. It
 * is loaded when somebody looks, since it takes as much memory as the rest of the product.
 */
export function listenDashboard({ address, queues }: DashboardOptions) {
  let board: Promise<Handle> | undefined;
  return listen("--dashboard-address", address, (request, response) => {
    if (request.url === "/" || request.url === undefined) {
      response.writeHead(302, { location: "/queues" }).end();
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
