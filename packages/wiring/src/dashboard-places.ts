import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { dashboardFields } from "@fleet-reloader/runtime/config/fields/http-fields";
import { isLoopbackHost } from "@fleet-reloader/runtime/config/loopback";
import { addressUrl } from "@fleet-reloader/runtime/http/socket-address";

/** The addresses of a dashboard, for the log. Without a sign-in the page answers only at a loopback address. */
export function dashboardPlaces(
  { accessFile, dashboardAddress, dashboardTlsCertFile }: ConfigOf<typeof dashboardFields>,
  port: number,
) {
  const { host } = dashboardAddress;
  const pages = addressUrl(dashboardTlsCertFile === "" ? "http" : "https", { host, port });
  const page = isLoopbackHost(host) || accessFile !== "" ? { page: `${pages}/` } : {};
  return { history: `${pages}/history`, queues: `${pages}/queues`, ...page };
}
