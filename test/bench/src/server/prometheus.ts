import type { RequestCount, RequestCounts } from "./methods.ts";

/** What the API server says of itself at `/metrics`, in the words the simulator uses. Open watches have no size there. */
export function readRequestCounts(metrics: string): RequestCounts {
  const counts = new Map<string, RequestCount>();
  const add = (key: string, more: RequestCount): void => {
    const { requests, responseBytes } = counts.get(key) ?? { requests: 0, responseBytes: 0 };
    counts.set(key, {
      requests: requests + more.requests,
      responseBytes: responseBytes + more.responseBytes,
    });
  };
  for (const [, metric, labels = "", value] of metrics.matchAll(
    /^(apiserver_request_total|apiserver_response_sizes_sum)\{(.*)\} (\S+)$/gm,
  )) {
    const label = (name: string) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
    const resource =
      label("subresource") === "" ? label("resource") : `${label("resource")}/${label("subresource")}`;
    const key = `${label("verb").toLowerCase()} ${resource}`;
    const amount = Number(value);
    add(
      key,
      metric === "apiserver_request_total"
        ? { requests: amount, responseBytes: 0 }
        : { requests: 0, responseBytes: amount },
    );
  }
  return counts;
}
