import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { packagesOf } from "./bundled-packages.ts";
import { addEntry } from "./entry.ts";

/**
 * One file per service, which is what is shipped and what `./dev run` runs, by an entry beside it. Bundling is not only for shipping: of
 * @kubernetes/client-node only the credentials code gets in, which saves about 80 MB of every process.
 */
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const services = ["standalone", "watcher", "worker", "dashboard", "cli"] as const;
/**
 * Loaded when somebody looks at them, or signs in with them, from files of their own. Some find their pages beside themselves or their
 * packages.
 */
const lazyNames = ["queue-board", "page-files", "openid-library"] as const;
const lazySources = {
  "queue-board": "packages/dashboard/src/queue-board.ts",
  "page-files": "packages/dashboard/src/page-files.ts",
  "openid-library": "packages/dashboard/src/sign-in/openid/openid-library.ts",
} as const;
const lazyFile = (name: string) => `packages/dashboard/dist/${name}.mjs`;
const lazyPages = (from: string): Plugin => ({
  name: "lazy-pages",
  setup(bundler) {
    for (const name of lazyNames)
      bundler.onResolve({ filter: new RegExp(`/${name}(\\.ts)?$`) }, () => ({
        path: relative(dirname(join(root, from)), join(root, lazyFile(name))),
        external: true,
      }));
  },
});

/** What stands for a module that nothing of ours runs. Left in, its text and what it makes at the start stay in the memory of each process. */
const leftOut: Readonly<Record<string, string>> = {
  // Two thousand models of @kubernetes/client-node, for two names that only its own API clients need.
  "generated models": "export const createConfiguration = undefined; export class ServerConfiguration {}",
  // The other database of bullmq, with all its SQL, and its jobs at a time of the day.
  "bullmq without postgres": "module.exports = {};",
  "bullmq without cron": "module.exports = {};",
  // Its agents for node:https. No request of ours uses them: undici connects through a proxy itself.
  "client-node without agents":
    "export class SocksProxyAgent {} export class SocksClient {} export class HttpProxyAgent {} export class HttpsProxyAgent {}",
  // undici without fetch, WebSocket, caches and doubles for tests. Its index gives dispatchers \`request\` and \`connect\`.
  "undici, its connections": `
  Object.assign(require("undici/lib/dispatcher/dispatcher").prototype, require("undici/lib/api"));
  module.exports = {
    Agent: require("undici/lib/dispatcher/agent"),
    Pool: require("undici/lib/dispatcher/pool"),
    ProxyAgent: require("undici/lib/dispatcher/proxy-agent"),
    buildConnector: require("undici/lib/core/connect"),
    errors: require("undici/lib/core/errors"),
  };`,
};

/** Of these libraries only a part is used: of @kubernetes/client-node kubeconfig and credentials, for instance. */
const partsOfLibraries: Plugin = {
  name: "parts-of-libraries",
  setup(bundler) {
    const replace = (filter: RegExp, importer: RegExp, by: string) =>
      bundler.onResolve({ filter }, (asked) => {
        if (!importer.test(asked.importer)) return undefined;
        return { path: by, namespace: "left-out", pluginData: asked.resolveDir };
      });
    bundler.onResolve({ filter: /^@kubernetes\/client-node$/ }, (args) =>
      bundler.resolve("@kubernetes/client-node/dist/config.js", {
        resolveDir: args.resolveDir,
        kind: args.kind,
      }),
    );
    replace(/^\.\/gen\/index\.js$/, /client-node/, "generated models");
    replace(/^(socks-proxy-agent|socks|hpagent)$/, /client-node/, "client-node without agents");
    replace(/^\.\/postgres$/, /bullmq\/dist/, "bullmq without postgres");
    replace(/^cron-parser$/, /bullmq\/dist/, "bullmq without cron");
    replace(/^undici$/, /packages\/(kube|notify)\/src|client-node/, "undici, its connections");
    bundler.onLoad({ filter: /.*/, namespace: "left-out" }, ({ path, pluginData }) => ({
      contents: leftOut[path] ?? "",
      resolveDir: pluginData,
    }));
  },
};

/**
 * An `import` of a module of Node reads all its exports, and one of `node:http` is the WebSocket, which loads Node's own copy of undici:
 * some 3 MiB and 20 ms in each process. A `require` reads none.
 */
const httpWithoutWebSocket: Plugin = {
  name: "http-without-web-socket",
  setup(bundler) {
    bundler.onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === "import-statement" ? { path: "node:http", namespace: "required" } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = require("${path}");`,
    }));
  },
};

const shared = {
  bundle: true,
  platform: "node",
  target: "node24",
  format: "esm",
  sourcemap: false,
  // Identifiers stay readable in stack traces; white space would stay in memory for as long as the process lives.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
  // CommonJS packages inside an ES module still ask for `require`.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
} as const;

const bundles = services.map((service) => {
  const outfile = `services/${service}/dist/bundle.mjs`;
  return build({
    ...shared,
    absWorkingDir: root,
    entryPoints: [`services/${service}/src/main.ts`],
    outfile,
    // Optional native speed-ups and back-ends that are not installed.
    external: [
      "utf-8-validate",
      "bufferutil",
      "supports-color",
      "pg",
      "redis",
      "msgpackr-extract",
      "@redis/*",
    ],
    plugins: [lazyPages(outfile), partsOfLibraries, httpWithoutWebSocket],
  });
});
const built = await Promise.all([
  ...bundles,
  ...lazyNames.map((name) =>
    build({
      ...shared,
      absWorkingDir: root,
      entryPoints: [lazySources[name]],
      outfile: lazyFile(name),
      external: ["@bull-board/*", "express"],
      plugins: [httpWithoutWebSocket],
    }),
  ),
  build({
    bundle: true,
    platform: "browser",
    target: "es2022",
    format: "esm",
    minify: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    absWorkingDir: root,
    entryPoints: { page: "services/web/src/main.ts", "page-style": "services/web/src/page.css" },
    entryNames: "page",
    outdir: "packages/dashboard/dist/page",
  }),
  build({
    ...shared,
    absWorkingDir: root,
    entryPoints: ["infra/docker/main.ts"],
    outfile: "infra/docker/dist/main.mjs",
  }),
]);

await Promise.all(services.map((service) => addEntry(join(root, "services", service, "dist"))));

// Both names may be linked to from a folder on PATH. kubectl finds the second: `kubectl fleet-reloader`.
for (const name of ["fleet-reloader", "kubectl-fleet_reloader"])
  writeFileSync(join(root, "services/cli/dist", name), '#!/usr/bin/env node\nimport("./main.mjs");\n', {
    mode: 0o755,
  });

// What is bundled, for the bill of materials of the image.
const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
mkdirSync(join(root, "infra/bundle/dist"), { recursive: true });
writeFileSync(
  join(root, "infra/bundle/dist/packages.json"),
  JSON.stringify(packagesOf(root, inputs), undefined, 2),
);
