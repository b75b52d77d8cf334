import type { IncomingMessage } from "node:http";
import { sessionLongestMs } from "@fleet-reloader/redis/session/redis-sessions";

type CookieRequest = Pick<IncomingMessage, "headers">;

/** A cookie of ours with one text. */
export interface SessionCookie {
  /** Browsers send it over TLS only. */
  readonly isSecure: boolean;
  /** The text that a browser sends; undefined: none. */
  read(request: CookieRequest): string | undefined;
  /** The header that stores a text in the browser; an empty text deletes the cookie. */
  write(text: string, request: CookieRequest): string;
}

/** Maximum duration of a sign-in with an issuer: people sign in there, with a second factor. */
export const pendingLongestMs = 10 * 60_000;

/** Makes the cookie that holds the id of a session. Browsers do not send it with requests from other sites. */
export function createSessionCookie({ isLocal }: { readonly isLocal: boolean }): SessionCookie {
  return createCookie({
    name: "fleet-reloader-session",
    isLocal,
    sameSite: "Strict",
    longestMs: sessionLongestMs,
    lengthMax: 128,
  });
}

/** Makes the cookie that holds a pending sign-in. The issuer's page leads back to us, so browsers also send it when another site leads here. */
export function createPendingCookie({ isLocal }: { readonly isLocal: boolean }): SessionCookie {
  return createCookie({
    name: "fleet-reloader-sign-in",
    isLocal,
    sameSite: "Lax",
    longestMs: pendingLongestMs,
    // Browsers keep no longer cookies.
    lengthMax: 4096,
  });
}

interface CookieOptions {
  readonly name: string;
  readonly isLocal: boolean;
  readonly sameSite: "Strict" | "Lax";
  readonly longestMs: number;
  readonly lengthMax: number;
}

/**
 * Scripts cannot read it. Browsers send it over TLS only and let no other host set it. The exception is a loopback address without TLS, where
 * nobody is in between.
 */
function createCookie(options: CookieOptions): SessionCookie {
  const { isLocal, lengthMax, longestMs, sameSite } = options;
  const nameFor = (request: CookieRequest) =>
    isLocal ? `${options.name}${portSuffix(request)}` : `__Host-${options.name}`;
  const attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isLocal ? "" : "; Secure"}`;
  return {
    isSecure: !isLocal,
    read(request) {
      const name = nameFor(request);
      const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
      const [own, ...others] = pairs.filter((pair) => pair.startsWith(`${name}=`));
      const text = own?.slice(name.length + 1) ?? "";
      // If there are two of this name, somebody else has set one of them.
      return others.length === 0 && text.length <= lengthMax && /^[\w-]+$/.test(text) ? text : undefined;
    },
    write(text, request) {
      const seconds = text === "" ? 0 : longestMs / 1000;
      return `${nameFor(request)}=${text}; ${attributes}; Max-Age=${seconds}`;
    },
  };
}

/**
 * The port of the address that a browser uses, as a suffix of the cookie's name. Browsers share the cookies of a host between its ports, and
 * several fleets may be forwarded to one machine.
 */
function portSuffix({ headers }: CookieRequest): string {
  const port = URL.parse(`http://${headers.host ?? ""}`)?.port ?? "";
  return port === "" ? "" : `-${port}`;
}
