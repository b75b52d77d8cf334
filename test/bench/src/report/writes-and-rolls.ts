import type { Outcome } from "../benchmark.ts";
import type { Usage } from "../meter/metered.ts";
import { figure, ratio } from "./table.ts";
import { usageJson, usageTable } from "./usage-table.ts";

/** What one arm made of many writes. */
export interface WritesAndRolls {
  readonly writes: number;
  readonly rolls: number;
  readonly usage: Usage;
}

/** How many rolls the writes cost, ours against the peer model's. */
export function reportWritesAndRolls(
  title: string,
  ours: WritesAndRolls,
  peer: WritesAndRolls,
): Pick<Outcome, "tables" | "measures"> {
  const row = (label: string, { writes, rolls }: WritesAndRolls) => [
    label,
    String(writes),
    String(rolls),
    figure(writes / rolls),
  ];
  return {
    tables: [
      {
        title,
        columns: ["arm", "writes", "rolls", "writes per roll"],
        rows: [
          row("ours", ours),
          row("peer model", peer),
          ["ratio ours / peer model", "", ratio(ours.rolls, peer.rolls), ""],
        ],
      },
      usageTable("write", [
        { arm: "ours", usage: ours.usage, units: ours.writes },
        { arm: "peer model", usage: peer.usage, units: peer.writes },
      ]),
    ],
    measures: {
      ours: { ...ours, usage: usageJson(ours.usage) },
      peer: { ...peer, usage: usageJson(peer.usage) },
    },
  };
}
