import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeAuditWebhook } from "@fleet-reloader/control-plane/audit-webhook";
import type { ControlPlane } from "@fleet-reloader/control-plane/control-plane";
import { startControlPlane } from "@fleet-reloader/control-plane/start";
import { pickFreePort } from "@fleet-reloader/testkit/free-port";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { sendEvents } from "./send-events.ts";

const token = "a-token-of-the-audited-api-server";
const commandLine = fileURLToPath(new URL("../../../services/cli/dist/main.mjs", import.meta.url));

/** A real API server that reports its writes, as `audit-policy` says, to a product that is started with `args`. */
export interface AuditedPlane extends AsyncDisposable {
  readonly plane: ControlPlane;
  readonly args: readonly string[];
  /** The way of the events. Whatever is sent while it is closed is refused. */
  readonly way: { open(): void; close(): void };
  /** Sends a body as this API server would; resolves to the status of the answer. */
  readonly report: (body: object) => Promise<number | undefined>;
}

/** `moreFlags` are added to those that `audit-policy` prints. */
export async function startAuditedPlane(
  users: readonly string[],
  moreFlags: readonly string[] = [],
): Promise<AuditedPlane> {
  await using steps = new AsyncDisposableStack();
  const home = mkdtempSync(join(tmpdir(), "fr-audited-"));
  steps.defer(() => rmSync(home, { recursive: true, force: true }));
  const file = (name: string, content: string): string => {
    writeFileSync(join(home, name), content, { mode: 0o600 });
    return join(home, name);
  };
  const { certificatePem, keyPem } = createLoopbackCertificate();
  const port = await pickFreePort();
  const way = await openWay(port);
  steps.defer(() => way.end());
  const server = `https://127.0.0.1:${way.port}`;
  const printed = execFileSync(process.execPath, [commandLine, "audit-policy", "--server", server], {
    encoding: "utf8",
  });
  const apiServerFlags = writeAuditWebhook(printed, { directory: home, caPem: certificatePem, token });
  const plane = steps.use(
    await startControlPlane({ users, apiServerFlags: [...apiServerFlags, ...moreFlags] }),
  );
  const hash = createHash("sha256").update(token).digest("hex");
  const running = steps.move();
  return {
    plane,
    way,
    report: (body) => sendEvents({ port, token, ca: certificatePem }, body),
    args: [
      ...["--audit-listen-address", `127.0.0.1:${port}`, "--audit-tls-cert-file", join(home, "ca.crt")],
      ...["--audit-tls-key-file", file("tls.key", keyPem)],
      ...["--audit-token-file", file("tokens", `control-plane sha256:${hash}\n`)],
    ],
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** A port that leads to another one while it is open. */
async function openWay(to: number) {
  let isOpen = true;
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    if (!isOpen) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(to, "127.0.0.1");
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", () => listening.resolve());
  await listening.promise;
  const address = server.address();
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    open() {
      isOpen = true;
    },
    close() {
      isOpen = false;
      cut();
    },
    async end() {
      cut();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
