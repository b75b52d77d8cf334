import { readFile } from "node:fs/promises";
import { Fault } from "@fleet-reloader/domain/fault";
import { Agent, type Dispatcher, ProxyAgent } from "undici";
import { answerFault, postFault } from "./to-fault.ts";

export interface Body {
  readonly contentType: string;
  readonly text: string;
}

/** A receiver of POST requests. Its address and token are secrets: no message, log line or fault contains them. */
export interface Receiver {
  post(body: Body, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  readonly url: URL;
  readonly proxyUrl?: URL;
  /** Read again for every POST, so that a rotated token is used at once. */
  readonly tokenFile?: string;
  /** Sent with every POST, names in lower case. They may be credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly userAgent: string;
  /** Timeout for the whole of one POST. */
  readonly timeoutMs?: number;
}

/** Chat services answer within a second. A service that takes longer than this counts as gone. */
const timeoutMs = 10_000;
/** The receiver's answer is ignored. Up to this much of it is read, so that the connection can be reused. */
const answerLengthMax = 64 * 1024;

export function createReceiver(options: ReceiverOptions): Receiver {
  const { url, proxyUrl } = options;
  const limitMs = options.timeoutMs ?? timeoutMs;
  const connections = { connections: 2, keepAliveTimeout: 10_000, allowH2: false };
  const dispatcher: Dispatcher =
    proxyUrl === undefined
      ? new Agent({ ...connections, connect: { timeout: limitMs } })
      : new ProxyAgent({ ...connections, uri: proxyOrigin(proxyUrl) });
  return {
    async post(body, signal) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
      try {
        const answer = await dispatcher.request({
          origin: url.origin,
          path: url.pathname + url.search,
          method: "POST",
          headers: await headersOf(options, body),
          body: body.text,
          signal: limit,
        });
        await answer.body.dump({ limit: answerLengthMax, signal: limit });
        if (answer.statusCode < 200 || answer.statusCode >= 300)
          throw answerFault(answer.statusCode, answer.headers["retry-after"]);
      } catch (error) {
        throw postFault(error, signal);
      }
    },
    close: () => dispatcher.destroy(),
  };
}

async function headersOf({ headers, tokenFile, url, userAgent }: ReceiverOptions, { contentType }: Body) {
  return {
    "user-agent": userAgent,
    "content-type": contentType,
    ...basicAuth(url),
    ...headers,
    ...(tokenFile === undefined ? {} : { authorization: `Bearer ${await readToken(tokenFile)}` }),
  };
}

/** The origin of a proxy, which has a host and perhaps a user, but no path. */
function proxyOrigin(url: URL): string {
  const origin = new URL(url);
  origin.pathname = "/";
  origin.search = "";
  origin.hash = "";
  return origin.href;
}

function basicAuth({ username, password }: URL): { readonly authorization?: string } {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new Fault("notify.unavailable", `--notify-webhook-token-file ${file} cannot be read (${code})`);
  }
}
