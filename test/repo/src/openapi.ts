import { actAnswer, actRoutes, actsRoot, permissionsRoute } from "@fleet-reloader/contracts/api/act-routes";
import { apiProblem } from "@fleet-reloader/contracts/api/api-problem";
import { apiRoot, apiRoutes } from "@fleet-reloader/contracts/api/api-routes";
import { newsEvents, newsPath, newsTopics } from "@fleet-reloader/contracts/api/news";

/** A shape of the contracts, which says itself what a JSON schema says of it. */
interface ContractShape {
  toJSONSchema(of: { readonly io: "input" | "output" }): {
    readonly $schema?: string | undefined;
    readonly properties?: object | undefined;
  };
}

/** The API as an OpenAPI 3.1 document, made from the contracts of its routes. */
export function openApiDocument(): object {
  const questions = Object.entries({ ...apiRoutes, permissions: permissionsRoute }).map(
    ([operationId, route]) => [
      `${apiRoot}${route.path}`,
      {
        get: {
          operationId,
          summary: route.summary,
          parameters: [...pathParameters(route.path), ...queryParameters(route.query)],
          responses: responsesOf(route.answer),
        },
      },
    ],
  );
  const acts = Object.entries(actRoutes).map(([operationId, { body, summary }]) => [
    `${actsRoot}/${operationId}`,
    {
      post: {
        operationId,
        summary,
        requestBody: jsonContent("The act.", bodySchemaOf(body)),
        responses: responsesOf(actAnswer),
      },
    },
  ]);
  return {
    openapi: "3.1.0",
    info: {
      title: "fleet-reloader",
      version: "1",
      description:
        "Questions about a fleet, and the acts of people who are signed in. Without an access file it is read-only and served at a loopback --dashboard-address only; with one each request needs a token or a session. No answer is larger than 200 KiB.",
    },
    paths: Object.fromEntries([...questions, [`${apiRoot}${newsPath}`, newsRoute()], ...acts]),
    components: { schemas: { Problem: schemaOf(apiProblem) } },
  };
}

/** The one route that answers with a stream. */
function newsRoute(): object {
  const { caughtUp, historyLost, newer } = newsEvents;
  return {
    get: {
      operationId: "news",
      summary: "That something is newer, and not what, as server-sent events",
      parameters: [{ name: "Last-Event-ID", in: "header", required: false, schema: { type: "string" } }],
      responses: {
        200: {
          description: `Events ${newer} with the topics that are newer (${newsTopics.join(", ")}), ${caughtUp} and ${historyLost}.`,
          content: { "text/event-stream": { schema: { type: "string" } } },
        },
        default: jsonContent("No stream, and why.", { $ref: "#/components/schemas/Problem" }),
      },
    },
  };
}

function responsesOf(answer: ContractShape): object {
  return {
    200: jsonContent("The answer.", schemaOf(answer)),
    default: jsonContent("No answer, and why.", { $ref: "#/components/schemas/Problem" }),
  };
}

/** A field with a default may be left out. */
function bodySchemaOf(schema: ContractShape): object {
  const { $schema: _, ...rest } = schema.toJSONSchema({ io: "input" });
  return rest;
}

function schemaOf(schema: ContractShape): object {
  const { $schema: _, ...rest } = schema.toJSONSchema({ io: "output" });
  return rest;
}

function jsonContent(description: string, schema: object): object {
  return { description, content: { "application/json": { schema } } };
}

function pathParameters(path: string): readonly object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(query: ContractShape): readonly object[] {
  const { properties = {} } = query.toJSONSchema({ io: "input" });
  return Object.entries(properties).map(([name, schema]) => ({ name, in: "query", required: false, schema }));
}
