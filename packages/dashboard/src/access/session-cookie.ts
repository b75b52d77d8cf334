import type { IncomingMessage } from "node:http";

/** The cookie that holds the id of a session. */
export interface SessionCookie {
  /** Browsers send it by TLS only. */
  readonly isSecure: boolean;
  /** The id that a browser sends; undefined: none. */
  read(request: Pick<IncomingMessage, "headers">): string | undefined;
  /** The header that keeps an id; an empty one is forgotten. */
  write(id: string): string;
}

/** As long as a session lives at most, in seconds. */
const longestSeconds = 8 * 3600;

/**
 * Makes the cookie. Scripts do not see it and other sites do not send it. Browsers send it by TLS only, and let no other host set it,
 * except where we listen for this machine alone without TLS: there is nobody in between.
 */
export function createSessionCookie({ isLocal }: { readonly isLocal: boolean }): SessionCookie {
  const name = isLocal ? "fleet-reloader-session" : "__Host-fleet-reloader-session";
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isLocal ? "" : "; Secure"}`;
  return {
    isSecure: !isLocal,
    read({ headers }) {
      const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
      const [own, ...others] = pairs.filter((pair) => pair.startsWith(`${name}=`));
      const id = own?.slice(name.length + 1) ?? "";
      // Two of one name: somebody else has set one of them.
      return others.length === 0 && /^[\w-]{1,128}$/.test(id) ? id : undefined;
    },
    write: (id) => `${name}=${id}; ${attributes}; Max-Age=${id === "" ? 0 : longestSeconds}`,
  };
}
