import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RedisOfRoles, startRedisOfRoles } from "@fleet-reloader/redis/fixture/role-users";
import { pickFreePort } from "@fleet-reloader/testkit/free-port";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { expect, test } from "vitest";
import { rollsEverywhere, startSharedFleet } from "../shared-fleet.ts";

/** What Redis and its clients show each other is replaced while both run. */
export function redisRotationTests(): void {
  test("passwords and certificate of Redis are replaced without loss or denial", async () => {
    await using redis = await startEncryptedRedis();
    let password: (role: string) => string = (role) => role;
    await using fleet = await startSharedFleet({
      clusters: 2,
      redisUrl: (role) => `rediss://${role}:${password(role)}@127.0.0.1:${redis.tlsPort}`,
      args: ["--debounce", "300ms"],
      env: { NODE_EXTRA_CA_CERTS: redis.caFile },
    });
    const old = [fleet.watcher(), fleet.worker()];
    for (const product of old) await product.ready();
    await rollsEverywhere(fleet, 1);

    // Both certificates are trusted: connections that are open stay, later ones show the new one.
    await redis.showNewCertificate();
    // Each user has two passwords until the last process with the old one has ended.
    password = (role) => `new-${role}`;
    for (const role of ["watcher", "worker"])
      await redis.admin.connection.acl("SETUSER", role, `>new-${role}`);
    const next = [fleet.watcher(), fleet.worker()];
    for (const product of next) await product.ready();
    for (const { at } of fleet.clusters) await at.change("ConfigMap", "settings", { v: "2" });
    for (const product of old) expect(await product.stop()).toBe(0);
    for (const role of ["watcher", "worker"]) await redis.admin.connection.acl("SETUSER", role, `<${role}`);
    await Promise.all(fleet.clusters.map(({ at }) => at.settlesAt("Deployment", "api", 2)));

    // Who connects anew needs the new password and sees the new certificate.
    await redis.admin.connection.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await rollsEverywhere(fleet, 3);
    expect(await redis.denied()).toEqual([]);
  });
}

interface EncryptedRedis extends RedisOfRoles {
  readonly tlsPort: number;
  /** Holds the old and the new certificate. */
  readonly caFile: string;
  readonly showNewCertificate: () => Promise<void>;
}

async function startEncryptedRedis(): Promise<EncryptedRedis> {
  const directory = mkdtempSync(join(tmpdir(), "fr-tls-"));
  const file = (name: string, content: string): string => {
    writeFileSync(join(directory, name), content, { mode: 0o600 });
    return join(directory, name);
  };
  const now = new Date();
  const [old, later] = [createLoopbackCertificate(now, "old"), createLoopbackCertificate(now, "new")];
  const tlsPort = await pickFreePort();
  const redis = await startRedisOfRoles(undefined, [
    ...["--tls-port", String(tlsPort), "--tls-auth-clients", "no"],
    ...[
      "--tls-cert-file",
      file("old.crt", old.certificatePem),
      "--tls-key-file",
      file("old.key", old.keyPem),
    ],
  ]);
  const [newCertificate, newKey] = [file("new.crt", later.certificatePem), file("new.key", later.keyPem)];
  return {
    ...redis,
    tlsPort,
    caFile: file("ca.crt", old.certificatePem + later.certificatePem),
    async showNewCertificate() {
      const { connection } = redis.admin;
      await connection.call("CONFIG", "SET", "tls-cert-file", newCertificate, "tls-key-file", newKey);
    },
    async [Symbol.asyncDispose]() {
      await redis[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
