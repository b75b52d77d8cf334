import type { IncomingMessage } from "node:http";
import { sessionLongestMs } from "@fleet-reloader/redis/session/redis-sessions";

type CookieRequest = Pick<IncomingMessage, "headers">;

/** A cookie of ours that holds one text. */
export interface SessionCookie {
  /** Browsers send it by TLS only. */
  readonly isSecure: boolean;
  /** The text that a browser sends; undefined: none. */
  read(request: CookieRequest): string | undefined;
  /** The header that keeps a text in the browser of a request; an empty one is forgotten. */
  write(text: string, request: CookieRequest): string;
}

/** As long as the issuer of people has to answer: somebody signs in there, with a second factor. */
export const pendingLongestMs = 10 * 60_000;

/** Makes the cookie that holds the id of a session. Other sites do not send it. */
export function createSessionCookie({ isLocal }: { readonly isLocal: boolean }): SessionCookie {
  return createCookie({
    name: "fleet-reloader-session",
    isLocal,
    sameSite: "Strict",
    longestMs: sessionLongestMs,
    lengthMax: 128,
  });
}

/** Makes the cookie that holds a sign-in that is under way. The issuer's page leads back to us, so other sites may lead here with it. */
export function createPendingCookie({ isLocal }: { readonly isLocal: boolean }): SessionCookie {
  return createCookie({
    name: "fleet-reloader-sign-in",
    isLocal,
    sameSite: "Lax",
    longestMs: pendingLongestMs,
    // Browsers keep no longer ones.
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
 * Scripts do not see it. Browsers send it by TLS only, and let no other host set it, except where we listen for this machine alone without
 * TLS: there is nobody in between.
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
      // Two of one name: somebody else has set one of them.
      return others.length === 0 && text.length <= lengthMax && /^[\w-]+$/.test(text) ? text : undefined;
    },
    write(text, request) {
      const seconds = text === "" ? 0 : longestMs / 1000;
      return `${nameFor(request)}=${text}; ${attributes}; Max-Age=${seconds}`;
    },
  };
}

/**
 * The port of the address that a browser asks. Browsers give the cookies of a host to all of its ports, and several fleets may be forwarded
 * to one machine.
 */
function portSuffix({ headers }: CookieRequest): string {
  const port = URL.parse(`http://${headers.host ?? ""}`)?.port ?? "";
  return port === "" ? "" : `-${port}`;
}
