import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { packagesOf } from "./bundled-packages.ts";

/**
 * One file per service, which is what is shipped and what `./dev run` runs. Bundling is not only for shipping: of
 * @kubernetes/client-node only the credentials code gets in, which saves about 80 MB of every process.
 */
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const services = ["standalone", "watcher", "worker", "dashboard", "cli"] as const;
/** Loaded when somebody looks at them, from files of their own. They find their pages beside themselves or their packages. */
const lazyNames = ["queue-board", "page-files"] as const;
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

/**
 * Of @kubernetes/client-node only kubeconfig and credentials are used. Its two thousand generated models would be parsed, and
 * loaded at run time, for two names that only its own API clients need.
 */
const credentialsOnly: Plugin = {
  name: "credentials-only",
  setup(bundler) {
    bundler.onResolve({ filter: /^@kubernetes\/client-node$/ }, (args) =>
      bundler.resolve("@kubernetes/client-node/dist/config.js", {
        resolveDir: args.resolveDir,
        kind: args.kind,
      }),
    );
    bundler.onResolve({ filter: /^\.\/gen\/index\.js$/ }, () => ({
      path: "generated models",
      namespace: "left-out",
    }));
    bundler.onLoad({ filter: /.*/, namespace: "left-out" }, () => ({
      contents: "export const createConfiguration = undefined; export class ServerConfiguration {}",
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
  const outfile = `services/${service}/dist/main.mjs`;
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
    plugins: [lazyPages(outfile), credentialsOnly],
  });
});
const built = await Promise.all([
  ...bundles,
  ...lazyNames.map((name) =>
    build({
      ...shared,
      absWorkingDir: root,
      entryPoints: [`packages/dashboard/src/${name}.ts`],
      outfile: lazyFile(name),
      external: ["@bull-board/*", "express"],
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
