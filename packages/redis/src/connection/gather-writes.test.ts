import { EventEmitter } from "node:events";
import { Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { Redis } from "ioredis";
import { expect, test } from "vitest";
import { gatherWrites } from "./gather-writes.ts";

test("what is sent in one turn goes out whole, in order, in one write", async () => {
  const sent: string[][] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      sent.push([chunk]);
      done();
    },
    writev: (chunks, done) => {
      sent.push(chunks.map(({ chunk }) => String(chunk)));
      done();
    },
  });
  const server = Object.assign(new EventEmitter(), { stream }) as unknown as Redis;
  gatherWrites(server);
  server.emit("connect");

  for (const command of ["a", "b"]) stream.write(command);
  await Promise.resolve().then(() => stream.write("c"));
  await new Promise<void>((resolve) => process.nextTick(resolve));
  stream.write("d");
  await turn();
  stream.write("e");
  await turn();

  expect(sent).toEqual([["a", "b", "c", "d"], ["e"]]);
});
