import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";

/** An API server to be checked. */
export interface Target {
  readonly url: string;
  /** Of a user who may do everything. */
  readonly token: string;
  /** Of a user called `limited` who may do nothing. */
  readonly limitedToken: string;
  /** What to trust, when it speaks TLS. */
  readonly ca?: string | undefined;
  /** Makes every version so far too old, by whatever means the server has for it. */
  readonly expireHistory: () => Promise<void>;
}

export interface ApiCall {
  readonly method?: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly acceptEncoding?: string;
  /** The administrator's unless given; "" sends none. */
  readonly token?: string;
}

export function openRequest(target: Target, call: ApiCall): Promise<IncomingMessage> {
  const query = new URLSearchParams(
    Object.entries(call.query ?? {}).map(([key, value]): [string, string] => [key, String(value)]),
  );
  const url = new URL(`${call.path}${query.size === 0 ? "" : `?${query}`}`, target.url);
  const token = call.token ?? target.token;
  const body = call.body === undefined ? undefined : textOf(call.body);
  const options: RequestOptions = {
    method: call.method ?? "GET",
    agent: false,
    headers: {
      accept: call.accept ?? "application/json",
      "user-agent": "conformance/1",
      ...(call.acceptEncoding === undefined ? {} : { "accept-encoding": call.acceptEncoding }),
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined
        ? {}
        : {
            "content-type": call.contentType ?? "application/json",
            "content-length": Buffer.byteLength(body),
          }),
    },
  };
  return new Promise((resolve, reject) => {
    const request =
      target.ca === undefined ? httpRequest(url, options) : httpsRequest(url, { ...options, ca: target.ca });
    request.once("response", resolve);
    request.once("error", reject);
    request.end(body);
  });
}

function textOf(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}
