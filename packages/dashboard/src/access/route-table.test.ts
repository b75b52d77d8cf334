import { jsonField, jsonList, jsonText, parseJson } from "@fleet-reloader/domain/json";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import type { FleetOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import { challengeOfVerifier, terminalToken } from "@fleet-reloader/runtime/access/terminal-token";
import { makeToken } from "@fleet-reloader/runtime/access/token-digest";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  cookieAt,
  createAccessWorld,
  fromOurPage,
  subjectsOf,
  tokenOf,
  type WrittenGrant,
} from "../fixture/access-world.ts";
import { fleetOf, nobodyAsked, overviewOf, readerOf, startServedFleet } from "../fixture/served-fleet.ts";
import { IssuedSessions } from "../sign-in/issued-sessions.ts";
import { TextSeal } from "../sign-in/text-seal.ts";

const roles = ["viewer", "operator", "admin"] as const;
/** The places in which a caller has a role. The questions are about the cluster nova and its namespace shop. */
const scopes = {
  all: { clusters: "*", namespaces: "*" },
  "all namespaces of nova": { clusters: ["nova"], namespaces: "*" },
  "shop of nova": { clusters: ["nova"], namespaces: ["shop"] },
  "shop by label": { clusterSelector: "env=prod", namespaces: ["shop"] },
  "another cluster": { clusters: ["otech62"], namespaces: "*" },
  "another namespace": { clusters: "*", namespaces: ["other"] },
} as const satisfies Record<string, Omit<WrittenGrant, "role">>;
type Scope = keyof typeof scopes;
const scopeNames = Object.keys(scopes) as readonly Scope[];
const nameOf = (role: string, scope: Scope) => `${role} in ${scope}`.replaceAll(" ", "-");

const pairs = roles.flatMap((role) => scopeNames.map((scope) => [role, scope] as const));
const subjects = subjectsOf(
  Object.fromEntries(pairs.map(([role, scope]) => [nameOf(role, scope), [{ role, ...scopes[scope] }]])),
);

const places = [
  ["nova", "shop"],
  ["nova", "other"],
  ["otech62", "shop"],
] as const;
const shown = (cluster: string, namespace: string) => `${cluster}/${namespace}`;
const time = new Date().toISOString();
const records: readonly HistoryRecord[] = [
  ...places.flatMap(([name, namespace]): readonly HistoryRecord[] => {
    const at = { v: 1, time, cluster: { id: `uid-${name}`, name } } as const;
    const source = { kind: "Secret", namespace, name: "db" } as const;
    const change = `${name}/${namespace}`;
    const workload = { kind: "Deployment", namespace, name: "api" };
    return [
      { ...at, type: "change", change, source, resourceVersion: "7" },
      {
        ...at,
        type: "action",
        workload,
        action: "failed",
        fault: "kube.rejected",
        sources: [{ ...source, change }],
      },
    ];
  }),
  { v: 1, time, type: "operator", action: "freeze", by: "ann", target: "fleet" },
];
const workloadsIn = (name: string) => ({ workloads: places.filter(([cluster]) => cluster === name).length });
const overview: FleetOverview = {
  ...fleetOf([
    { ...overviewOf("nova"), ...workloadsIn("nova") },
    { ...overviewOf("otech62"), ...workloadsIn("otech62"), labels: { env: "test" } },
  ]),
  holds: async () =>
    places.map(([name, namespace]) => ({
      id: shown(name, namespace),
      request: { cluster: `uid-${name}`, workload: { kind: "Deployment", namespace, name: "api" } },
      reason: "Frozen",
      againAtMs: 0,
    })),
  managed: async (id) =>
    places
      .filter(([name]) => id === `uid-${name}`)
      .map(([, namespace]) => ({
        ref: { kind: "Deployment", namespace, name: "api" },
        sources: [],
        patterns: [],
      })),
  freezes: async () => [
    { scope: {}, reason: "all", by: "ann" },
    ...places.map(([cluster, namespace]) => ({
      scope: { cluster, namespace },
      reason: shown(cluster, namespace),
      by: "ann",
    })),
  ],
};
const asked = {
  ...nobodyAsked,
  ask: () => Promise.reject(new Error("it was asked")),
};
const issued = new IssuedSessions(new TextSeal("a-secret-of-the-issuer", "session"), systemClock);
const { access } = createAccessWorld(subjects, overview, true, { issued });
const served = await startServedFleet({ overview, access, asked, reader: readerOf(records) });
afterAll(() => served[Symbol.asyncDispose]());

const bearer = (name: string) => ({ authorization: `Bearer ${tokenOf(name)}` });

/** Ways to identify: a token, a session with the issuer, and a terminal that a person let in. */
const ways = {
  "a token": async (name: string) => bearer(name),
  "a session of the issuer": async (name: string) => {
    const id = await access.signInIssued({ name, groups: [] });
    return { cookie: cookieAt(served.port, access, id) };
  },
  "a terminal": async (name: string) => {
    const signed = await access.signIn(tokenOf(name));
    const verifier = makeToken();
    const headers = { ...fromOurPage, cookie: cookieAt(served.port, access, signed?.id) };
    const body = JSON.stringify({ challenge: challengeOfVerifier(verifier) });
    const answer = await served.ask("/api/v1/session/terminal", headers, "POST", body);
    const code = jsonText(parseJson(answer.body), "code") ?? "";
    return { authorization: `Bearer ${terminalToken(code, verifier)}` };
  },
} as const;
const knownPairs = (Object.keys(ways) as readonly (keyof typeof ways)[]).flatMap((way) =>
  pairs.map(([role, scope]) => [role, scope, way] as const),
);

const lists = ["/status", "/clusters", "/changes", "/held", "/queue", "/activity", "/workloads"].map(
  (path) => `/api/v1${path}`,
);
const details = [...places].flatMap(([cluster, namespace]) =>
  ["Deployment/api", "Secret/db"].map((object) => {
    const [kind = "", name = ""] = object.split("/");
    const list = kind === "Secret" ? "sources" : "workloads";
    return { path: `/api/v1/${list}/${cluster}/${kind}/${namespace}/${name}`, cluster, namespace };
  }),
);

describe("nobody", () => {
  const all = [
    ...lists,
    "/api/v1/operators",
    ...details.map(({ path }) => path),
    "/api/v1/changes/x",
    "/api/v1/session",
  ];
  const others = ["/history", "/queues", "/queues/api/queues", "/api/v1/none"];

  test.each([...all, ...others])("who is not known gets nothing of %s", async (path) => {
    const cookie = cookieAt(served.port, access, "guessed");
    for (const headers of [{}, bearer("nobody"), { cookie }]) {
      const { body, status } = await served.ask(path, headers);
      expect(status).toBe(401);
      expect(body).not.toMatch(/nova|shop/);
    }
  });

  test.each(["/", "/changes", "/audit", "/sign-in", "/page.js", "/page.css"])(
    "who is not known gets %s",
    async (path) => {
      expect((await served.ask(path)).status).toBe(200);
    },
  );
});

/** The places that each scope shows. */
const visible: Readonly<Record<Scope, readonly string[]>> = {
  all: ["nova/other", "nova/shop", "otech62/shop"],
  "all namespaces of nova": ["nova/other", "nova/shop"],
  "shop of nova": ["nova/shop"],
  "shop by label": ["nova/shop"],
  "another cluster": ["otech62/shop"],
  "another namespace": ["nova/other"],
};
const clustersSeen: Readonly<Record<Scope, readonly string[]>> = {
  all: ["nova", "otech62"],
  "all namespaces of nova": ["nova"],
  "shop of nova": ["nova"],
  "shop by label": ["nova"],
  "another cluster": ["otech62"],
  "another namespace": ["nova", "otech62"],
};

describe.each(knownPairs)("a %s in %s, by %s", (role, scope, way) => {
  const name = nameOf(role, scope);
  let headers: Readonly<Record<string, string>> = {};
  beforeAll(async () => {
    headers = await ways[way](name);
  });
  const askFor = (path: string) => served.ask(path, headers);
  const answer = async (path: string) => {
    const { body, status } = await askFor(path);
    expect(status, body).toBe(200);
    return parseJson(body);
  };
  const seen = visible[scope];
  const texts = (all: readonly unknown[], ...path: readonly string[]) =>
    all.map((one) => String(jsonField(one, ...path))).toSorted();

  test("sees the clusters, and counts the rows, of the scope", async () => {
    const clusters = jsonList(await answer("/api/v1/clusters"), "clusters");
    expect(texts(clusters, "name")).toEqual(clustersSeen[scope]);
    const held = clusters.map((one) => Number(jsonField(one, "held")));
    expect(held.reduce((sum, one) => sum + one, 0)).toBe(seen.length);
    const status = await answer("/api/v1/status");
    expect(jsonField(status, "held")).toEqual({ Frozen: seen.length });
    expect(jsonField(status, "changes", "openCount")).toBe(seen.length);
    expect(jsonField(status, "clusters", "count")).toBe(clustersSeen[scope].length);
    const queue = await answer("/api/v1/queue");
    expect(queue).toMatchObject({ held: { Frozen: seen.length }, failed: { "kube.rejected": seen.length } });
    const slots = jsonList(await answer("/api/v1/activity"), "slots");
    const failed = slots.map((slot) => Number(jsonField(slot, "failed")));
    expect(failed.reduce((sum, one) => sum + one, 0)).toBe(seen.length);
    const seesQueue = [jsonField(status, "queue"), jsonField(queue, "queue")].map((one) => one !== undefined);
    expect(seesQueue).toEqual([scope === "all", scope === "all"]);
  });

  test("sees the holds, freezes and changes of the scope", async () => {
    const held = await answer("/api/v1/held");
    const places = jsonList(held, "holds").map((one) => {
      const [, namespace] = /(shop|other)/.exec(String(jsonField(one, "workload"))) ?? [];
      return `${String(jsonField(one, "cluster"))}/${namespace}`;
    });
    expect(places.toSorted()).toEqual(seen);
    expect(texts(jsonList(held, "freezes"), "reason")).toEqual(["all", ...seen]);
    const changes = jsonList(await answer("/api/v1/changes"), "changes");
    expect(texts(changes, "id")).toEqual(seen);
    for (const [cluster, namespace] of places.map((place) => place.split("/"))) {
      const { status } = await askFor(`/api/v1/changes/${cluster}%2F${namespace}`);
      expect(status).toBe(seen.includes(`${cluster}/${namespace}`) ? 200 : 404);
    }
  });

  test("sees the workloads of the scope that are reloaded, and counts no others", async () => {
    const managed = await answer("/api/v1/workloads?limit=1");
    expect(managed).toMatchObject({ count: seen.length, clusterCount: clustersSeen[scope].length });
    const all = jsonList(await answer("/api/v1/workloads"), "workloads");
    const placed = all.map((one) =>
      shown(String(jsonField(one, "cluster")), String(jsonField(one, "ref", "namespace"))),
    );
    expect(placed.toSorted()).toEqual(seen);
  });

  test("reads the records of the scope, and as many as it asks for", async () => {
    const lines = async (query: string) => {
      const { body, status } = await askFor(`/history?since=1h${query}`);
      expect(status).toBe(200);
      return body
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => parseJson(line));
    };
    const all = await lines("");
    const isOperator = (line: unknown) => jsonField(line, "type") === "operator";
    expect(all.some(isOperator)).toBe(scope === "all");
    expect(
      texts(
        all.filter((line) => jsonField(line, "type") === "change"),
        "change",
      ),
    ).toEqual(seen);
    expect(await lines("&limit=1")).toHaveLength(1);
  });

  test("sees what operators did if everything is in the scope", async () => {
    const { body, status } = await askFor("/api/v1/operators");
    expect(status).toBe(scope === "all" ? 200 : 403);
    if (scope === "all") expect(parseJson(body)).toMatchObject({ count: 1, acts: [{ by: "ann" }] });
    else expect(body).not.toContain("ann");
  });

  test("asks clusters about objects of the scope alone", async () => {
    for (const { cluster, namespace, path } of details) {
      const mayAsk = seen.includes(shown(cluster, namespace));
      const { body, status } = await askFor(path);
      // 500 means that the request reached the fleet, which cannot answer here.
      expect([path, status], body).toEqual([path, mayAsk ? 500 : 403]);
      const byId = await askFor(path.replace(cluster, `uid-${cluster}`));
      expect(byId.status).toBe(mayAsk ? 500 : 403);
    }
  });

  test("opens the queue board if everything is in the scope", async () => {
    expect((await askFor("/queues")).status).toBe(scope === "all" ? 200 : 403);
    expect((await askFor("/queues/api/queues")).status).toBe(scope === "all" ? 200 : 403);
    expect(parseJson((await askFor("/api/v1/session")).body)).toEqual({ name });
  });
});

test("a refusal names the role and the place that are needed", async () => {
  const name = nameOf("viewer", "another namespace");
  const { body } = await served.ask("/api/v1/workloads/nova/Deployment/shop/api", bearer(name));
  expect(parseJson(body)).toEqual({
    code: "access.forbidden",
    problem: `${name} has not the role viewer in namespace shop of cluster nova`,
    mend: "ask whoever keeps the access file for the role viewer in namespace shop of cluster nova",
  });
});
