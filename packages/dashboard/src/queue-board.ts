import type { IncomingMessage, ServerResponse } from "node:http";
import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { ExpressAdapter } from "@bull-board/express";
import type { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import express from "express";

const policy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/** Makes the bull-board application for the queues. */
export function createQueueBoard(
  queues: BullWorkqueue["queues"],
): (request: IncomingMessage, response: ServerResponse) => void {
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath("/queues");
  createBullBoard({
    queues: queues.map((queue, shard) => {
      // The queues of all shards have one name in Redis: the prefix tells them apart on the board.
      const prefix = queues.length === 1 ? "" : `shard ${shard} `;
      return new BullMQAdapter(queue, { readOnlyMode: true, prefix });
    }),
    serverAdapter,
    options: { uiConfig: { boardTitle: "fleet-reloader" } },
  });
  const application = express();
  application.disable("x-powered-by");
  application.use((_request, response, next) => {
    // The page may fetch nothing from elsewhere (it asks a font service), and no other page may frame it.
    response.setHeader("content-security-policy", policy);
    next();
  });
  application.use("/queues", serverAdapter.getRouter());
  return application;
}
