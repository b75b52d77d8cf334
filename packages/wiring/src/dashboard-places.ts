import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { dashboardFields } from "@fleet-reloader/runtime/config/fields/http-fields";
import { isLoopbackHost } from "@fleet-reloader/runtime/config/loopback";
import { addressUrl } from "@fleet-reloader/runtime/http/socket-address";

/** Where people find what a dashboard serves, for the log. Where nobody signs in, the page answers at a loopback address only. */
export function dashboardPlaces(
  { accessFile, dashboardAddress, dashboardTlsCertFile }: ConfigOf<typeof dashboardFields>,
  port: number,
) {
  const { host } = dashboardAddress;
  const pages = addressUrl(dashboardTlsCertFile === "" ? "http" : "https", { host, port });
  const page = isLoopbackHost(host) || accessFile !== "" ? { page: `${pages}/` } : {};
  return { history: `${pages}/history`, queues: `${pages}/queues`, ...page };
}
