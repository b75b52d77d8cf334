import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { text } from "node:stream/consumers";
import type { Certificate } from "./sim-api/http/certificate.ts";

/** Our client at the issuer. */
export const issuerClient = { id: "fleet-reloader", secret: "a-secret-of-the-issuer" } as const;

/** What somebody who signs in is, and what is wrong with their ID token. */
export interface IssuedToken {
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Signed by a key that the issuer does not publish. */
  readonly isForged?: boolean;
}

/** A code that was given out, until somebody brings it. */
interface GivenCode {
  readonly challenge: string;
  readonly redirectUrl: string;
  readonly nonce: string;
}

let keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject } | undefined;
/** Making one takes long on a slow machine: all issuers of a process share it. */
const sharedKeys = () => {
  keys ??= generateKeyPairSync("rsa", { modulusLength: 2048 });
  return keys;
};

const fresh = () => randomBytes(16).toString("base64url");
const coded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** An OpenID Connect issuer on this machine, with discovery, codes with PKCE, and keys. Whoever is sent to it signs in at once. */
class SimIssuer {
  /** What the next ID tokens say. */
  next: IssuedToken = {};
  /** Whether it answers nothing but 503. */
  isAway = false;
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  readonly #codes = new Map<string, GivenCode>();
  #url = "";

  /** As it calls itself. */
  get url(): string {
    return this.#url;
  }

  /** Listens at a free port; with the certificate by TLS. */
  async listen(certificate?: Certificate) {
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      this.#answer(request, response).catch(() => response.writeHead(500).end());
    };
    const server =
      certificate === undefined
        ? createServer(handle)
        : createTlsServer({ cert: certificate.certificatePem, key: certificate.keyPem }, handle);
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const bound = server.address();
    const port = typeof bound === "object" && bound !== null ? bound.port : 0;
    this.#url = `${certificate === undefined ? "http" : "https"}://127.0.0.1:${port}`;
    return async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    };
  }

  /** What a browser does that is sent to an address of it: signs in, and comes back to the address in the answer. */
  signIn(address: URL): URL {
    const { searchParams } = address;
    const code = fresh();
    const redirectUrl = searchParams.get("redirect_uri") ?? "";
    this.#codes.set(code, {
      challenge:
        searchParams.get("code_challenge_method") === "S256"
          ? (searchParams.get("code_challenge") ?? "")
          : "",
      redirectUrl,
      nonce: searchParams.get("nonce") ?? "",
    });
    const back = new URL(redirectUrl);
    back.search = new URLSearchParams({ code, state: searchParams.get("state") ?? "" }).toString();
    return back;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.#url);
    this.asked.push(url.pathname);
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (this.isAway) return void send(503, {});
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return void send(200, this.#metadata());
      case "/keys":
        return void send(200, {
          keys: [
            Object.assign(sharedKeys().publicKey.export({ format: "jwk" }), {
              kid: "1",
              alg: "RS256",
              use: "sig",
            }),
          ],
        });
      case "/authorize":
        return void response.writeHead(302, { location: this.signIn(url).href }).end();
      case "/token": {
        const answer = this.#redeem(request, new URLSearchParams(await text(request)));
        return void send("error" in answer ? 400 : 200, answer);
      }
      default:
        return void send(404, {});
    }
  }

  #metadata() {
    return {
      issuer: this.#url,
      authorization_endpoint: `${this.#url}/authorize`,
      token_endpoint: `${this.#url}/token`,
      jwks_uri: `${this.#url}/keys`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      code_challenge_methods_supported: ["S256"],
    };
  }

  #redeem(request: IncomingMessage, body: URLSearchParams) {
    const basic = `Basic ${Buffer.from(`${issuerClient.id}:${issuerClient.secret}`).toString("base64")}`;
    // The library writes signs of a secret as a form does.
    if (decodeURIComponent(decodedBasic(request)) !== decodedBasic({ headers: { authorization: basic } }))
      return { error: "invalid_client" };
    const code = body.get("code") ?? "";
    const given = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash("sha256")
      .update(body.get("code_verifier") ?? "")
      .digest("base64url");
    if (
      given === undefined ||
      given.challenge !== challenge ||
      given.redirectUrl !== body.get("redirect_uri")
    )
      return { error: "invalid_grant" };
    return {
      access_token: fresh(),
      token_type: "Bearer",
      expires_in: 300,
      id_token: this.#idToken(given.nonce),
    };
  }

  #idToken(nonce: string): string {
    const nowSeconds = Math.floor(Date.now() / 1000);
    const right = {
      iss: this.#url,
      aud: issuerClient.id,
      sub: "1",
      nonce,
      iat: nowSeconds,
      exp: nowSeconds + 300,
    };
    const signed = `${coded({ alg: "RS256", kid: "1" })}.${coded(Object.assign(right, this.next.claims))}`;
    const { privateKey } =
      this.next.isForged === true ? generateKeyPairSync("rsa", { modulusLength: 2048 }) : sharedKeys();
    return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
  }
}

function decodedBasic({ headers }: Pick<IncomingMessage, "headers">): string {
  return Buffer.from((headers.authorization ?? "").replace(/^Basic /, ""), "base64").toString();
}

/** Starts an issuer. */
export async function startIssuer(certificate?: Certificate) {
  const issuer = new SimIssuer();
  const close = await issuer.listen(certificate);
  return { issuer, [Symbol.asyncDispose]: close };
}
