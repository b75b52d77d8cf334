import type { IncomingMessage, ServerResponse } from "node:http";
import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { ExpressAdapter } from "@bull-board/express";
import { asFault } from "@fleet-reloader/domain/fault";
import type { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import express, { type NextFunction, type Request, type Response } from "express";
import { assertReadable, type WhileReadableOptions, whileReadable } from "./api/while-readable.ts";

const policy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/** Makes the bull-board application for the queues. It answers 503 instead of data while Redis cannot be read. */
export function createQueueBoard(
  queues: BullWorkqueue["queues"],
  redis: WhileReadableOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath("/queues");
  createBullBoard({
    queues: queues.map((queue, shard) => {
      // The queues of all shards have the same name in Redis. The prefix tells them apart on the board.
      const prefix = queues.length === 1 ? "" : `shard ${shard} `;
      return new BullMQAdapter(queue, { readOnlyMode: true, prefix });
    }),
    serverAdapter,
    options: { uiConfig: { boardTitle: "fleet-reloader" } },
  });
  const application = express();
  application.disable("x-powered-by");
  application.use((_request, response, next) => {
    // The page may load nothing from elsewhere (it asks a font service), and no other page may frame it.
    response.setHeader("content-security-policy", policy);
    next();
  });
  application.use("/queues/api", async (_request, response, next) => {
    await refuseUnreadable(response, next, redis);
  });
  application.use("/queues", serverAdapter.getRouter());
  application.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
    // The request may have been refused while it waited for Redis.
    if (!response.headersSent) next(error);
  });
  return application;
}

/** Refuses at once, or when Redis goes away before the answer is ready. Never rejects. */
async function refuseUnreadable(
  response: Response,
  next: NextFunction,
  redis: WhileReadableOptions,
): Promise<void> {
  try {
    assertReadable(redis.notReady);
    next();
    const closed = new Promise<void>((resolve) => response.once("close", () => resolve()));
    await whileReadable(closed, redis, new AbortController().signal);
  } catch (error) {
    if (!response.headersSent) response.status(503).json({ error: asFault(error).message });
  }
}
