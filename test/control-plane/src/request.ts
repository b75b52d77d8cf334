import { request as httpsRequest } from "node:https";
import { json } from "node:stream/consumers";

/** One call to the API server. */
export interface ApiRequest {
  readonly path: string;
  /** GET unless said otherwise. */
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** `application/json` unless said otherwise; a patch names its kind here. */
  readonly contentType?: string;
  /** The administrator's token unless said otherwise. */
  readonly token?: string;
}

/** Its answer, whatever the status. */
export interface ApiResponse {
  readonly status: number;
  /** The parsed JSON; plain text (as of `/readyz`) is undefined. */
  readonly body: unknown;
}

/** Stops a call to a server that accepts and then says nothing; the server's own limit is 60 s. */
const REQUEST_TIMEOUT_MS = 65_000;

/**
 * A client of a few lines for the set-up of tests: Node's `fetch` cannot be told of a certificate
 * authority without a package. Not for watches: it reads the answer to its end.
 */
export async function requestApi(
  server: { readonly url: string; readonly caPem: string; readonly token: string },
  call: ApiRequest,
): Promise<ApiResponse> {
  const payload = call.body === undefined ? undefined : JSON.stringify(call.body);
  const { promise, resolve, reject } = Promise.withResolvers<ApiResponse>();
  const outgoing = httpsRequest(new URL(call.path, server.url), {
    method: call.method ?? "GET",
    ca: server.caPem,
    agent: false,
    timeout: REQUEST_TIMEOUT_MS,
    headers: {
      accept: "application/json",
      authorization: `Bearer ${call.token ?? server.token}`,
      ...(payload === undefined
        ? {}
        : {
            "content-type": call.contentType ?? "application/json",
            "content-length": Buffer.byteLength(payload),
          }),
    },
  });
  outgoing.on("error", reject);
  outgoing.on("timeout", () =>
    outgoing.destroy(new Error(`no answer within ${REQUEST_TIMEOUT_MS / 1000} s`)),
  );
  outgoing.on("response", (response) => {
    const status = response.statusCode ?? 0;
    if (response.headers["content-type"]?.includes("json")) {
      json(response).then((body) => resolve({ status, body }), reject);
    } else {
      response.resume().once("end", () => resolve({ status, body: undefined }));
      response.once("error", reject);
    }
  });
  outgoing.end(payload);
  return await promise;
}
