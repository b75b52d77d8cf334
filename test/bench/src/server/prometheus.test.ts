import { expect, it } from "vitest";
import { readRequestCounts } from "./prometheus.ts";

it("adds up requests and bytes by verb and resource", () => {
  const counts = readRequestCounts(
    [
      "# TYPE apiserver_request_total counter",
      'apiserver_request_total{code="200",group="apps",resource="deployments",scope="resource",subresource="",verb="PATCH"} 3',
      'apiserver_request_total{code="409",group="apps",resource="deployments",scope="resource",subresource="",verb="PATCH"} 1',
      'apiserver_request_total{code="200",group="apps",resource="deployments",scope="resource",subresource="status",verb="PATCH"} 7',
      'apiserver_response_sizes_sum{group="apps",resource="deployments",scope="resource",subresource="",verb="PATCH"} 1.5e+04',
      "apiserver_storage_objects 12",
    ].join("\n"),
  );
  expect(Object.fromEntries(counts)).toEqual({
    "patch deployments": { requests: 4, responseBytes: 15_000 },
    "patch deployments/status": { requests: 7, responseBytes: 0 },
  });
});
