import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";

/** A browser with a page open, reduced to what it asks: it follows the news, and asks the question of its view when they name changes. */
export interface Browser extends Disposable {
  /** Resolves to `performance.now()` when an answer has this text, the stream's news before it. */
  shows(text: string): Promise<number>;
}

interface Wanted {
  readonly text: string;
  readonly seen: PromiseWithResolvers<number>;
}

/** Opens browsers that look at one view each; resolves when all streams have said that they are caught up. */
export async function openBrowsers(
  origin: string,
  question: string,
  count: number,
): Promise<readonly Browser[]> {
  return await Promise.all(Array.from({ length: count }, () => openBrowser(origin, question)));
}

async function openBrowser(origin: string, question: string): Promise<Browser> {
  const wanted = new Set<Wanted>();
  const caughtUp = Promise.withResolvers<void>();
  const failed = (error: unknown) => {
    caughtUp.reject(error);
    for (const { seen } of wanted) seen.reject(error);
  };
  let isAsking = false;
  let isOutdated = false;
  const ask = async (): Promise<void> => {
    isOutdated = true;
    if (isAsking) return;
    isAsking = true;
    while (isOutdated) {
      isOutdated = false;
      const answer = await textOf(`${origin}/api/v1${question}`);
      const atMs = performance.now();
      for (const one of wanted) {
        if (!answer.includes(one.text)) continue;
        wanted.delete(one);
        one.seen.resolve(atMs);
      }
    }
    isAsking = false;
  };
  const request = get(`${origin}/api/v1/news`, { agent: false });
  request.once("error", failed);
  const [stream]: IncomingMessage[] = await once(request, "response");
  if (stream?.statusCode !== 200) throw new Error(`a stream of news: ${stream?.statusCode}`);
  stream.setEncoding("utf8");
  stream.on("data", (part: string) => {
    if (part.includes("event: caught-up")) caughtUp.resolve();
    if (part.includes('"changes"')) ask().catch(failed);
  });
  stream.once("close", () => failed(new Error("a stream of news ended")));
  await caughtUp.promise;
  return {
    async shows(text) {
      const one = { text, seen: Promise.withResolvers<number>() };
      wanted.add(one);
      return await one.seen.promise;
    },
    [Symbol.dispose]: () => void stream.removeAllListeners("close").destroy(),
  };
}

/** Over a connection of its own: one that is kept may end while it is taken up again, which a browser mends by itself. */
async function textOf(url: string): Promise<string> {
  const [answer]: IncomingMessage[] = await once(get(url, { agent: false }), "response");
  if (answer?.statusCode !== 200) throw new Error(`${url}: ${answer?.statusCode}`);
  return await readText(answer);
}
