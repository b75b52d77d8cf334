/**
 * Who may know whom: domain ← engine ← {runtime, kube, redis, notify} ← {dashboard, scaler, wiring} ← services. `kube` and `redis` meet
 * only in `wiring` and in services. Checked by `./dev check`; that the check bites is itself tested (test/repo/src/repository.test.ts).
 */
const source = "\\.ts$";
const test = "(\\.test\\.ts|\\.prop\\.test\\.ts)$|/fixture/";

/** Everything but the named things is foreign to a package. */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: "error",
  from: { path: `^${from}/src/.*${source}`, pathNot: test },
  to: { pathNot: [`^${from}/src/`, ...allowed] },
});
const builtin =
  "^(node:|fs|path|crypto|http|https|net|os|child_process|process|stream|util|timers|tls|v8|vm|zlib)";
const npm = (...names) => names.map((name) => `node_modules/${name}/`);

/** The rooms of each package, lowest first: one imports only those before it. What lies in `src` itself is below them all. */
const rooms = {
  engine: [
    "async",
    "ports",
    "hints",
    "history",
    "observe",
    "admission",
    "follow",
    "reconcile",
    "ask",
    "watch",
    "overview",
    "act",
  ],
  kube: ["credentials", "http", "discovery", "objects", "watch", "event", "registration", "fleet"],
  redis: [
    "connection",
    "index",
    "hints",
    "queue",
    "ownership",
    "ledger",
    "history",
    "session",
    "overview",
    "access",
  ],
  runtime: ["process", "log", "pattern", "config", "metrics", "http", "access", "audit"],
};
const noRoomAbove = Object.entries(rooms).flatMap(([name, all]) =>
  all.map((room, at) => ({
    name: `${name}-${room}-imports-downward`,
    comment: `The rooms of ${name} in order: ${all.join(" < ")}.`,
    severity: "error",
    from: { path: `^packages/${name}/src/${room}/.*${source}`, pathNot: test },
    to: { path: `^packages/${name}/src/(${all.slice(at + 1).join("|") || "-"})/` },
  })),
);
const nothingAboveTheGround = Object.entries(rooms).map(([name, all]) => ({
  name: `${name}-src-imports-no-room`,
  severity: "error",
  from: { path: `^packages/${name}/src/[^/]+${source}`, pathNot: test },
  to: { path: `^packages/${name}/src/(${all.join("|")})/` },
}));

export default {
  forbidden: [
    ...noRoomAbove,
    ...nothingAboveTheGround,
    only(
      "domain-imports-nothing",
      "packages/domain",
      [],
      "The rules are data in, data out: no I/O, no clock, no package.",
    ),
    only(
      "engine-knows-domain",
      "packages/engine",
      ["^packages/domain/src/"],
      "Use cases and ports: no adapter, no package.",
    ),
    only(
      "contracts-are-shapes",
      "packages/contracts",
      ["^packages/(domain|engine)/src/", ...npm("zod")],
      "The shapes of what crosses processes: no I/O.",
    ),
    only(
      "audit-is-pure",
      "packages/audit",
      ["^packages/domain/src/", "^zlib$"],
      "What audit events say: bytes in, data out. Decompression is both.",
    ),
    only(
      "runtime-knows-engine",
      "packages/runtime",
      [
        "^packages/(domain|engine)/src/",
        builtin,
        ...npm("js-yaml", "lru-cache", "pino", "prom-client", "re2js", "zod"),
      ],
      "Configuration, log, metrics, lifecycle.",
    ),
    only(
      "kube-is-an-adapter",
      "packages/kube",
      [
        "^packages/(domain|engine)/src/",
        builtin,
        ...npm("undici", "js-yaml", "lru-cache", "@kubernetes/client-node"),
      ],
      "Alone knows the Kubernetes API.",
    ),
    only(
      "redis-is-an-adapter",
      "packages/redis",
      ["^packages/(domain|engine|contracts)/src/", builtin, ...npm("bullmq", "ioredis", "lru-cache")],
      "Alone knows Redis and BullMQ.",
    ),
    only(
      "notify-is-an-adapter",
      "packages/notify",
      ["^packages/(domain|engine)/src/", builtin, ...npm("lru-cache", "undici")],
      "Alone talks to those whom people let us tell.",
    ),
    only(
      "dashboard-shows-what-redis-holds",
      "packages/dashboard",
      [
        "^packages/(contracts|domain|engine|redis|runtime)/src/",
        builtin,
        ...npm("@bull-board", "express", "openid-client"),
      ],
      "Answers about queue, history and fleet. It is given who asks the clusters.",
    ),
    only(
      "scaler-answers-keda",
      "packages/scaler",
      [
        "^packages/(domain|engine|runtime)/src/",
        builtin,
        ...npm("@bufbuild/protobuf", "@connectrpc/connect", "@connectrpc/connect-node"),
      ],
      "Alone knows gRPC. It is given the queue depth: no Redis, no cluster.",
    ),
    only(
      "wiring-composes-adapters",
      "packages/wiring",
      ["^packages/(audit|dashboard|domain|engine|kube|notify|redis|runtime|scaler)/src/", builtin],
      "What several services compose alike: no service, no npm package.",
    ),
    only(
      "web-runs-in-a-browser",
      "services/web",
      ["^packages/(contracts|domain|engine)/src/"],
      "The page: shapes, rules and texts that a browser runs; no package.",
    ),
    {
      name: "services-keep-to-themselves",
      comment:
        "A service is not built from another one's inside: what several compose alike is in wiring; standalone composes what the others export.",
      severity: "error",
      from: { path: "^services/(watcher|worker|dashboard|cli|web)/" },
      to: { path: "^services/", pathNot: "^services/$1/" },
    },
    {
      name: "packages-know-no-service",
      comment: "Packages are libraries.",
      severity: "error",
      from: { path: "^packages/" },
      to: { path: "^(services|@fleet-reloader/(standalone|watcher|worker|dashboard-service|cli|web))/" },
    },
    {
      name: "testkit-knows-domain-and-engine",
      comment:
        "Everybody's tests use the test kit, so it knows no adapter: else packages would need each other in a circle.",
      severity: "error",
      from: { path: "^packages/testkit/" },
      to: { path: "^(packages|services|test|@fleet-reloader)/(?!testkit|domain|engine)" },
    },
    {
      name: "testkit-tests-what-it-knows",
      comment: "A test of the engine that needs the test kit lies in the test kit.",
      severity: "error",
      from: { path: "^packages/(domain|engine)/" },
      to: { path: "^(packages|@fleet-reloader)/testkit/" },
    },
    {
      name: "tests-are-not-shipped",
      comment: "The test kit, and what is under test/, is for tests only.",
      severity: "error",
      from: { path: `^(packages|services)/.*${source}`, pathNot: ["^packages/testkit/", test] },
      to: { path: "^(packages/testkit|test|@fleet-reloader/testkit)/" },
    },
    { name: "no-circles", severity: "error", from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(/dist/|node_modules/.*/node_modules)" },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
      extensions: [".ts", ".mjs", ".js", ".json"],
    },
  },
};
