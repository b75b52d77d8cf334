import { fork } from "node:child_process";
import process from "node:process";
import type { Methods, Reply } from "./protocol.ts";

/** A process of ours that answers questions. */
export interface Child<M extends Methods> extends AsyncDisposable {
  readonly pid: number;
  readonly ask: <K extends keyof M & string>(
    method: K,
    parameter: Parameters<M[K]>[0],
  ) => Promise<Awaited<ReturnType<M[K]>>>;
}

/** Starts a file that calls `serveMethods` with methods of type M. */
export function startChild<M extends Methods>(
  file: URL,
  execArgv: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Child<M> {
  const child = fork(file, {
    execArgv: [...execArgv],
    serialization: "advanced",
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  let whyEnded: string | undefined;
  child.on("message", (reply: Reply) => {
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.type === "answer") asked?.resolve(reply.value);
    else asked?.reject(new Error(reply.message));
  });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", (code, signal) => {
      whyEnded = `${file.pathname} ended: ${signal ?? code}`;
      for (const asked of waiting.values()) asked.reject(new Error(whyEnded));
      resolve();
    });
  });
  return {
    pid: child.pid ?? -1,
    ask(method, parameter) {
      const asked = Promise.withResolvers<unknown>();
      if (whyEnded === undefined) {
        lastId += 1;
        waiting.set(lastId, asked);
        child.send({ id: lastId, method, parameter });
      } else asked.reject(new Error(whyEnded));
      // Both sides are typed by M; in between it is a message.
      return asked.promise as Promise<Awaited<ReturnType<M[typeof method]>>>;
    },
    async [Symbol.asyncDispose]() {
      if (whyEnded === undefined) child.disconnect();
      await ended;
    },
  };
}

/** The answer to the first question; when that fails the process goes, for its caller never gets hold of it. */
export async function orEnd<M extends Methods, T>(child: Child<M>, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw error;
  }
}
