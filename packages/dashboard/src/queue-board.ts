import type { IncomingMessage, ServerResponse } from "node:http";
import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { ExpressAdapter } from "@bull-board/express";
import type { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import express from "express";

const policy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/** The bull-board application over our queues. */
export function createQueueBoard(
  queues: BullWorkqueue["queues"],
): (request: IncomingMessage, response: ServerResponse) => void {
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath("/queues");
  createBullBoard({
    queues: queues.map((queue, shard) => {
      // All are called alike in Redis; the board keeps them apart by what it calls them.
      const prefix = queues.length === 1 ? "" : `shard ${shard} `;
      return new BullMQAdapter(queue, { readOnlyMode: true, prefix });
    }),
    serverAdapter,
    options: { uiConfig: { boardTitle: "fleet-reloader" } },
  });
  const application = express();
  application.disable("x-powered-by");
  application.use((_request, response, next) => {
    // Nothing is fetched from elsewhere (its page asks a font service), and nobody puts it into a frame.
    response.setHeader("content-security-policy", policy);
    next();
  });
  application.use("/queues", serverAdapter.getRouter());
  return application;
}
