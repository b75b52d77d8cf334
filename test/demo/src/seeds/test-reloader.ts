import { configMap, workload } from "./manifest.ts";

/** The runtime validation of seeds/003, before anybody annotated it. */
const namespace = "default";
export const testWorkload = { kind: "Deployment", namespace, name: "test-reloader" } as const;
export const testConfig = { namespace, name: "test-config" } as const;

export const testReloaderSeed: readonly object[] = [
  configMap(namespace, testConfig.name, { key: "value" }),
  workload({
    ...testWorkload,
    volumes: [{ name: "config", configMap: { name: testConfig.name } }],
    image: "nginx:alpine",
  }),
];
