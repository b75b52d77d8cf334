import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { passed, patienceMs } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { laterThanTogether, Site } from "../../site.ts";
import type { World } from "../../world.ts";
import { adopted, loseRedis, makeEstate, type Owned, settleAt } from "./estate.ts";
import { launcher } from "./launch.ts";

/** Another mark key than the one the notes were made with, while a change waits. */
export function keyTests(world: () => World): void {
  const start = launcher(world);

  /** A product was here. After its end one of two ConfigMaps has changed. */
  async function changeWhileDown(purpose: string): Promise<Aftermath> {
    const at = await Site.make(world().client, purpose);
    for (const name of ["same", "other"]) await at.configMap(name, { v: "A" });
    const same = await makeEstate(at, "same", "same");
    const changed = await makeEstate(at, "other", "other");
    const first = start(at);
    await first.ready();
    await adopted(at, [...same, ...changed]);
    await first.stop();
    await laterThanTogether();
    await at.change("ConfigMap", "other", { v: "B" });
    return {
      ...{ at, same, changed },
      dataDir: first.dataDir,
      [Symbol.asyncDispose]: () => first[Symbol.asyncDispose](),
    };
  }

  test("another key than Redis knew is refused, naming the flag that makes it accepted", async () => {
    await using after = await changeWhileDown("other-key");
    const { at, dataDir } = after;
    writeFileSync(join(dataDir, "mark.key"), `${randomBytes(32).toString("hex")}\n`, { mode: 0o600 });
    {
      await using refused = start(at, { dataDir });
      const code = await Promise.race([refused.ended, passed(patienceMs).then(() => "it runs")]);
      expect(code, refused.output()).toBe(78);
      expect(refused.output()).toContain("--forget-old-keys");
    }
    await using accepted = start(at, { dataDir, args: ["--forget-old-keys"] });
    await accepted.ready();
  });

  test("a change that waits when only the key is lost rolls once, whoever writes later", async () => {
    await using after = await changeWhileDown("forgotten-key");
    const { at, dataDir, same, changed } = after;
    await laterThanTogether();
    for (const [kind, name] of [...same, ...changed])
      await at.patch(kind, name, { metadata: { annotations: { "example.com/written": "later" } } });
    rmSync(join(dataDir, "mark.key"));
    await using again = start(at, { dataDir, args: ["--forget-old-keys"] });
    await again.ready();
    await settleAt(at, changed, 1);
    await settleAt(at, same, 0);
  });

  test("a change that waits when both the key and Redis are lost rolls once", async () => {
    await using after = await changeWhileDown("no-key");
    const { at, dataDir, same, changed } = after;
    loseRedis(dataDir);
    rmSync(join(dataDir, "mark.key"));
    await using again = start(at, { dataDir });
    await again.ready();
    await settleAt(at, changed, 1);
    await settleAt(at, same, 0);
  });
}

interface Aftermath extends AsyncDisposable {
  readonly at: Site;
  /** What reads the ConfigMap that is as it was. */
  readonly same: readonly Owned[];
  readonly changed: readonly Owned[];
  readonly dataDir: string;
}
