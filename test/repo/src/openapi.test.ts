import { actNames, actsRoot } from "@fleet-reloader/contracts/api/act-routes";
import { apiRoot, apiRoutes } from "@fleet-reloader/contracts/api/api-routes";
import { expect, test } from "vitest";
import { openApiDocument } from "./openapi.ts";

const document: unknown = JSON.parse(JSON.stringify(openApiDocument()));

test("every route is in the OpenAPI document with its parameters and its problem", () => {
  const paths = Object.values(apiRoutes).map(({ path }) => `${apiRoot}${path}`);
  expect(document).toMatchObject({
    openapi: "3.1.0",
    paths: Object.fromEntries(
      paths.map((path) => [
        path,
        {
          get: {
            responses: { default: { content: expect.anything() }, 200: { content: expect.anything() } },
          },
        },
      ]),
    ),
  });
  expect(document).toMatchObject({
    paths: {
      "/api/v1/workloads/{cluster}/{kind}/{namespace}/{name}": {
        get: {
          parameters: [
            { name: "cluster", in: "path", required: true },
            { name: "kind", in: "path" },
            { name: "namespace", in: "path" },
            { name: "name", in: "path" },
            { name: "limit", in: "query", required: false, schema: { type: "integer", maximum: 1000 } },
            { name: "cursor", in: "query", required: false },
          ],
        },
      },
    },
  });
});

test("every act is in the OpenAPI document with its body", () => {
  const act = {
    post: { requestBody: { content: expect.anything() }, responses: { 200: expect.anything() } },
  };
  expect(document).toMatchObject({
    paths: Object.fromEntries(actNames.map((name) => [`${actsRoot}/${name}`, act])),
  });
  const object = { type: "object", additionalProperties: false };
  const content = { "application/json": { schema: object } };
  expect(document).toMatchObject({
    paths: { "/api/v1/acts/retry": { post: { requestBody: { content } } } },
  });
});

/** The names of the fields of all schemas. */
function fieldNames(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key === "properties" ? Object.keys(Object(inner)) : []),
    ...fieldNames(inner),
  ]);
}

test("no answer has a field that could hold content, a mark or a digest", () => {
  const names = fieldNames(document);
  expect(names).toContain("frozenBy");
  expect(names.filter((name) => /data|content|mark|digest|hash|env|secret/i.test(name))).toEqual([]);
});
