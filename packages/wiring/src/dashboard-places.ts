import { isLoopbackHost } from "@fleet-reloader/runtime/config/loopback";

/** Where people find what a dashboard serves, for the log. The page answers at a loopback address only. */
export function dashboardPlaces(host: string, port: number) {
  const pages = `http://${host}:${port}`;
  const page = isLoopbackHost(host) ? { page: `${pages}/` } : {};
  return { history: `${pages}/history`, queues: `${pages}/queues`, ...page };
}
