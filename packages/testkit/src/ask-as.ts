import { request } from "node:http";
import { text } from "node:stream/consumers";

/** One request to a process of this machine with headers as they are given: `fetch` lets nobody choose the Host. */
export async function askAs(what: {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** GET when absent. */
  readonly method?: string;
  /** Nothing when absent. */
  readonly body?: string;
}) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    readonly status: number | undefined;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: string;
  }>();
  const { body: sent = "", headers, method = "GET", path, port } = what;
  const asked = request(
    { host: "127.0.0.1", agent: false, headers, method, path, port },
    async (response) => {
      try {
        const body = await text(response);
        resolve({ status: response.statusCode, headers: response.headers, body });
      } catch (error) {
        reject(error);
      }
    },
  );
  asked.on("error", reject).end(sent);
  return await promise;
}
