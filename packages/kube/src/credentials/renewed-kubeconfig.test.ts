import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test } from "vitest";
import { Credentials } from "./credentials.ts";
import { selectTargets } from "./kubeconfig.ts";

const forever = new AbortController().signal;

/** The credentials of a kubeconfig in a folder of its own. */
function startRenewed(first: string) {
  const folder = mkdtempSync(join(tmpdir(), "fr-renewed-"));
  const file = join(folder, "config");
  writeFileSync(file, first);
  const [target] = selectTargets([file], []);
  if (target === undefined) throw new Error("no target");
  const clock = new ManualClock();
  const credentials = new Credentials(target, clock);
  return {
    clock,
    write: (text: string) => writeFileSync(file, text),
    /** What is sent after the server has refused the present credentials. */
    async afterRefusal() {
      credentials.invalidate(await credentials.get(forever));
      return (await credentials.get(forever)).headers.authorization;
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

function kubeconfigWith(token: string, own: { readonly user?: string; readonly current?: string } = {}) {
  const { user = "u", current = "c" } = own;
  const cluster = { server: "https://kube" };
  return JSON.stringify({
    clusters: [{ name: "k", cluster }],
    users: [
      { name: user, user: { token } },
      { name: "other", user: { token: "of-another" } },
    ],
    contexts: [
      { name: "c", context: { cluster: "k", user } },
      { name: "d", context: { cluster: "k", user: "other" } },
    ],
    "current-context": current,
  });
}

test("a token that was renewed in the kubeconfig is used once the old one is refused", async () => {
  using renewed = startRenewed(kubeconfigWith("first"));
  renewed.write(kubeconfigWith("second", { user: "renamed" }));
  expect(await renewed.afterRefusal()).toBe("Bearer second");
});

test("a context that others choose in the kubeconfig meanwhile does not become ours", async () => {
  using renewed = startRenewed(kubeconfigWith("first"));
  renewed.write(kubeconfigWith("second", { current: "d" }));
  expect(await renewed.afterRefusal()).toBe("Bearer second");
});

test("a kubeconfig that is being written is read again later, and not for each request", async () => {
  using renewed = startRenewed(kubeconfigWith("first"));
  renewed.write("half: [");
  expect(await renewed.afterRefusal()).toBe("Bearer first");
  renewed.write(kubeconfigWith("second"));
  expect(await renewed.afterRefusal()).toBe("Bearer first");
  await renewed.clock.advance(10_000);
  expect(await renewed.afterRefusal()).toBe("Bearer second");
});
