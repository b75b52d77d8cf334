import { parseArgs } from "node:util";
import type { SimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { parseAllDocuments } from "yaml";
import { laterThanTogether } from "../site.ts";

/**
 * Makes the changes that `kubectl` would make, as far as the pages use it. Throws at anything else, so that no page says what nobody has
 * tried.
 */
export async function kubectl(
  cluster: SimCluster,
  words: readonly string[],
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const { verb, free, flags } = parse(words);
  const { namespace } = flags;
  const by = { manager: `kubectl-${verb}` };
  switch (verb) {
    case "apply":
      for (const object of manifestsIn(files.get(flags.filename ?? ""))) put(cluster, object, by);
      return;
    case "create":
      if (free[0] === "namespace") {
        makeNamespace(cluster, free[1] ?? "");
        return;
      }
      // Its time is a whole second: what is made within that of a workload counts as there when its pods started.
      if (hasWorkloads(cluster, namespace)) await laterThanTogether();
      put(cluster, createdSource(free, namespace, flags["from-literal"] ?? []), by);
      return;
    case "annotate": {
      const [{ kind, name }, ...pairs] = [objectOf(free[0] ?? ""), ...free.slice(1)];
      const annotations = Object.fromEntries(pairs.map((pair) => pairOf(pair)));
      cluster.patch(kind, namespace, name, { metadata: { annotations } }, by);
      return;
    }
    case "patch": {
      const { kind, name } = objectOf(free[0] ?? "");
      cluster.patch(kind, namespace, name, asKept(JSON.parse(flags.patch ?? "")), by);
      return;
    }
    default:
      throw new Error(`kubectl ${words.join(" ")}: the pages use apply, create, annotate and patch only`);
  }
}

/** Makes a namespace. Throws when there is one of this name. */
export function makeNamespace(cluster: SimCluster, name: string): void {
  if (cluster.get("Namespace", "", name) !== undefined)
    throw new Error(`kubectl create namespace: there is one called ${name}`);
  cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, { manager: "kubectl-create" });
}

/** Throws where the namespace of the object is missing, as an API server refuses it. The simulator makes it. */
function put(cluster: SimCluster, object: object, by: { readonly manager: string }): void {
  const made = cluster.list("Namespace").map(({ metadata }) => metadata.name);
  const { namespace = "" } = cluster.apply(object, by).metadata;
  if (!made.includes(namespace)) throw new Error(`kubectl: there is no namespace ${namespace}`);
}

/** Throws at a flag that no page has used yet. */
function parse([verb = "", ...args]: readonly string[]) {
  const text = { type: "string" } as const;
  const options = {
    namespace: { ...text, short: "n", default: "default" },
    filename: { ...text, short: "f" },
    patch: { ...text, short: "p" },
    "from-literal": { ...text, multiple: true },
    overwrite: { type: "boolean" },
  } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  return { verb, free: positionals, flags: values };
}

const kinds: Readonly<Record<string, string>> = {
  configmap: "ConfigMap",
  daemonset: "DaemonSet",
  deployment: "Deployment",
  secret: "Secret",
};

function objectOf(text: string): { readonly kind: string; readonly name: string } {
  const [what = "", name = ""] = text.split("/");
  const kind = kinds[what];
  if (kind === undefined || name === "")
    throw new Error(`kubectl: ${text} is no object as the pages write it`);
  return { kind, name };
}

/** `configmap NAME` or `secret generic NAME`. */
function createdSource(words: readonly string[], namespace: string, literals: readonly string[]): object {
  const { kind, name } = objectOf(`${words[0]}/${words.at(-1)}`);
  const content = Object.fromEntries(literals.map((literal) => pairOf(literal)));
  const metadata = { namespace, name };
  return asKept({ apiVersion: "v1", kind, metadata, [kind === "Secret" ? "stringData" : "data"]: content });
}

function manifestsIn(text: string | undefined): readonly object[] {
  if (text === undefined) throw new Error("kubectl apply: the page has no such file");
  return parseAllDocuments(text).map((document) => asKept(document.toJS()));
}

/** As the API server keeps a Secret: with `data` in place of `stringData`. */
function asKept({ stringData, ...object }: Readonly<Record<string, unknown>>): object {
  if (typeof stringData !== "object" || stringData === null) return object;
  const encode = ([key, value]: readonly [string, unknown]) =>
    [key, Buffer.from(String(value)).toString("base64")] as const;
  return { ...object, data: Object.fromEntries(Object.entries(stringData).map(encode)) };
}

function pairOf(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  return [text.slice(0, at), text.slice(at + 1)];
}

function hasWorkloads(cluster: SimCluster, namespace: string): boolean {
  return ["Deployment", "DaemonSet"].some((kind) => cluster.list(kind, namespace).length > 0);
}
