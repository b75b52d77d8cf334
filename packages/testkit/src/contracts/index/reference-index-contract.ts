import { expect, test } from "vitest";
import { indexEntriesContract } from "./entries-contract.ts";
import { entryOf, type IndexUnderTest, versionOf } from "./index-under-test.ts";
import { indexRecordsContract } from "./records-contract.ts";
import { indexSessionContract } from "./session-contract.ts";
import { indexSourcesContract } from "./sources-contract.ts";

/** What every reference index promises. `start` opens a fresh one. */
export function referenceIndexContract(start: () => Promise<IndexUnderTest>): void {
  indexEntriesContract(start);
  indexSourcesContract(start);
  indexSessionContract(start);
  indexRecordsContract(start);

  test("a page of a thousand is no more than a page", async () => {
    await using bed = await start();
    const all = Array.from({ length: 1000 }, (_, at) =>
      entryOf(`w${at}`, { sources: [`ConfigMap/ns/s${at}`] }),
    );
    expect(await bed.index.put(all)).toHaveLength(1000);
    const sources = all.map((_, at) => versionOf(`s${at}`));
    const changed = await bed.index.findChanged(sources);
    expect(changed).toHaveLength(1000);
    await bed.index.markHandled(sources);
    expect(await bed.index.findChanged(sources)).toEqual([]);
  });

  test("nothing to do is done", async () => {
    await using bed = await start();
    expect(await bed.index.put([])).toEqual([]);
    expect(await bed.index.findChanged([])).toEqual([]);
    await bed.index.markPublished([]);
    await bed.index.markHandled([]);
    await bed.index.remove([]);
    await bed.index.forget([]);
    await bed.index.expect([]);
    await bed.index.verify();
  });
}
