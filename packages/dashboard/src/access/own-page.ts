import type { IncomingMessage } from "node:http";
import { Fault } from "@fleet-reloader/domain/fault";

type AskedHeaders = Pick<IncomingMessage, "headers">;

/**
 * Faults when a browser says that the page of another site makes the request. Other sites' pages may not send requests to us, even if they
 * cannot read the answer.
 */
export function assertSameSite({ headers }: AskedHeaders): void {
  const site = headers["sec-fetch-site"];
  if (site === "cross-site" || site === "same-site")
    throw foreignPage("Sec-Fetch-Site", String(site), "the page of another site asks");
}

/**
 * Faults unless our own page makes a request that changes something with a browser's cookie. A browser names the site of the page. It also lets
 * no page of another site send JSON without a preflight request, and we answer none.
 */
export function assertOwnPage({ headers }: AskedHeaders): void {
  const { host, origin = "" } = headers;
  const site = headers["sec-fetch-site"] ?? "";
  if (site !== "" && site !== "same-origin")
    throw foreignPage("Sec-Fetch-Site", String(site), "the page of another site asks");
  const isOurs = origin === "" ? site === "same-origin" : URL.parse(origin)?.host === host;
  if (!isOurs) throw foreignPage("Origin", origin, "it is not the address of this page");
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json")
    throw foreignPage("Content-Type", type, "what changes something is sent as application/json");
}

function foreignPage(field: string, value: string, why: string): Fault {
  const mend = "open the page of fleet-reloader itself";
  return new Fault("access.forbidden", `${field}: ${why}; ${mend}`, {
    context: { field, value: value.slice(0, 253), mend },
  });
}
