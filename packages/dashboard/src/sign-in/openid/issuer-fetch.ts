import { request as requestPlain } from "node:http";
import { request } from "node:https";
import { buffer } from "node:stream/consumers";
import { Fault } from "@fleet-reloader/domain/fault";
import { isLoopbackHost } from "@fleet-reloader/runtime/config/loopback";
import type { CustomFetch } from "openid-client";

/** Maximum size of an issuer's answer. Keys and metadata take a few KiB. */
const issuerAnswerBytesMax = 1_048_576;

/**
 * Makes the fetch function for an issuer. It follows no redirects. The issuer's certificate has to be signed by these authorities, or by Node's
 * when none are given. Without TLS it asks only this machine. Rejects with `access.issuer-unavailable`.
 */
export function createIssuerFetch(authorities: string | undefined): CustomFetch {
  return async (address, options) => {
    const url = new URL(address);
    if (url.protocol !== "https:" && !isLoopbackHost(url.hostname))
      throw issuerUnavailable(
        `${url.host} would be asked without TLS`,
        "let the issuer name https addresses",
      );
    try {
      const answer = await issuerAnswerOf(url, options, authorities);
      if (answer.status < 500 && answer.status !== 429) return answer;
      throw issuerUnavailable(`${url.host} answers ${answer.status}`, "sign in again in a moment");
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw issuerUnavailable(
        `${url.host} does not answer (${failureCodeOf(error)})`,
        "check that we reach it, and that --oidc-ca-file has the authority of its certificate; then sign in again",
      );
    }
  };
}

async function issuerAnswerOf(
  url: URL,
  { body, headers, method, signal }: Parameters<CustomFetch>[1],
  authorities: string | undefined,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const ask = url.protocol === "https:" ? request : requestPlain;
  const trust = authorities === undefined ? {} : { ca: authorities };
  const asked = ask(url, Object.assign(trust, { agent: false, method, headers, signal }), (response) => {
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > issuerAnswerBytesMax) response.destroy(new Error("too large"));
    });
    buffer(response).then((all) => {
      const type = response.headers["content-type"] ?? "";
      const status = response.statusCode ?? 0;
      // By the rules of fetch these have no body.
      const content = status === 204 || status === 304 ? null : new Uint8Array(all);
      resolve(new Response(content, { status, headers: { "content-type": type } }));
    }, reject);
  });
  asked.on("error", reject).end(body === undefined || body === null ? undefined : String(body));
  return await promise;
}

function failureCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if (error.name === "AbortError" || error.name === "TimeoutError") return "no answer in time";
  return "code" in error ? String(error.code) : error.message;
}

/** The fault of an issuer that cannot sign anybody in now. */
export function issuerUnavailable(problem: string, mend: string): Fault {
  return new Fault("access.issuer-unavailable", `--oidc-issuer-url: ${problem}; ${mend}`, {
    context: { mend },
  });
}
