import { generateKeyPairSync, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Access } from "./control-plane.ts";

/** May do everything. */
export const ADMIN = "admin";
/** What the controllers sign in as, so that an audit log tells their writes from a test's. */
export const CONTROLLERS = "kube-controller-manager";

/** A user the API server knows by a bearer token. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly token: string;
}

/** The two users every control plane has, and those named, who may do nothing until granted something. */
export function createUsers(names: readonly string[]): readonly User[] {
  const misfit = names.find((name) => !/^[\w.:@-]+$/.test(name) || name === ADMIN || name === CONTROLLERS);
  if (misfit !== undefined) throw new Error(`not a name for a further user: ${JSON.stringify(misfit)}`);
  const named = (name: string, groups: readonly string[]): User => ({ name, groups, token: createToken() });
  return [
    named(ADMIN, ["system:masters"]),
    named(CONTROLLERS, ["system:masters"]),
    ...names.map((name) => named(name, [])),
  ];
}

function createToken(): string {
  return randomBytes(24).toString("base64url");
}

/** Content for `--token-auth-file`; the API server reads it at its start only. */
export function tokenFile(users: readonly User[]): string {
  return users
    .map(({ token, name, groups }) => `${token},${name},uid-${name},"${groups.join(",")}"\n`)
    .join("");
}

/** A key to sign service account tokens with; the API server takes the public half from the same file. */
export function createServiceAccountKey(): string {
  return generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: { type: "sec1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  }).privateKey;
}

/** Writes a kubeconfig per user; the result throws for a name that is not among them. */
export async function writeKubeconfigs(
  directory: string,
  cluster: { readonly url: string; readonly caPem: string },
  users: readonly User[],
): Promise<(name: string) => Access> {
  const access = new Map<string, Access>();
  for (const user of users) {
    const kubeconfigPath = join(directory, `${user.name}.kubeconfig`);
    await writeFile(kubeconfigPath, kubeconfig(cluster, user), { mode: 0o600 });
    access.set(user.name, { token: user.token, kubeconfigPath });
  }
  return (name) => {
    const found = access.get(name);
    if (found === undefined)
      throw new Error(`no user ${name} here; there are ${[...access.keys()].join(", ")}`);
    return found;
  };
}

/** One context, `control-plane`; the authority is inside, so the file may be copied elsewhere. */
function kubeconfig(cluster: { readonly url: string; readonly caPem: string }, user: User): string {
  return `apiVersion: v1
kind: Config
clusters:
  - name: control-plane
    cluster:
      server: ${cluster.url}
      certificate-authority-data: ${Buffer.from(cluster.caPem).toString("base64")}
users:
  - name: "${user.name}"
    user:
      token: ${user.token}
contexts:
  - name: control-plane
    context:
      cluster: control-plane
      user: "${user.name}"
current-context: control-plane
`;
}
