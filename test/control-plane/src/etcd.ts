import { basename, join } from "node:path";
import { pickFreePort } from "@fleet-reloader/testkit/free-port";
import { type Command, type Component, startComponent } from "./component.ts";
import type { Lifeline } from "./lifeline.ts";
import { pollUntil } from "./poll.ts";

/** A single member opens its files and elects itself in well under a second; the rest is a busy machine. */
const READY_TIMEOUT_MS = 30_000;

/** A single-member etcd on loopback that forgets everything with its directory. */
export async function startEtcd(start: {
  readonly command: Command;
  readonly lifeline: Lifeline;
  readonly log: (line: string) => void;
}): Promise<{ readonly url: string; readonly component: Component }> {
  const name = basename(start.lifeline.directory);
  const url = `http://127.0.0.1:${await pickFreePort()}`;
  const peerUrl = `http://127.0.0.1:${await pickFreePort()}`;
  const component = await startComponent({
    name: "etcd",
    command: start.command,
    lifeline: start.lifeline,
    onUnexpectedEnd: start.log,
    flags: [
      `--name=${name}`,
      `--data-dir=${join(start.lifeline.directory, "etcd")}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=${name}=${peerUrl}`,
      "--unsafe-no-fsync",
      "--log-level=warn",
    ],
  });
  try {
    await pollUntil({
      what: "etcd is ready",
      timeoutMs: READY_TIMEOUT_MS,
      giveUp: component.assertRunning,
      // Asks for the member's name: should two launchers draw one port, the loser sees a stranger here.
      probe: async () => ((await memberList(url)).includes(`"${name}"`) ? true : undefined),
    });
  } catch (error) {
    await component.stop("SIGKILL");
    throw error;
  }
  return { url, component };
}

/** Linearizable, so it is answered only once there is a leader. */
async function memberList(url: string): Promise<string> {
  const response = await fetch(`${url}/v3/cluster/member/list`, {
    method: "POST",
    body: '{"linearizable":true}',
  });
  return response.ok ? await response.text() : "";
}
