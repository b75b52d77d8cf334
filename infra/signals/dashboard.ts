import { panels } from "./panels.ts";
import type { Panel } from "./signal.ts";

/** Grafana's grid has 24 columns: three panels side by side. */
const size = { w: 8, h: 8 } as const;
const perLine = 24 / size.w;
const rows: readonly Panel["row"][] = ["Clusters", "Changes", "Rolls", "Ourselves"];

/** A dashboard of Grafana 10 or newer, to import or to provision. It has one panel for each metric of ours. */
export function dashboard(): object {
  return {
    uid: "fleet-reloader",
    title: "fleet-reloader",
    tags: ["fleet-reloader"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    templating: { list: [datasource, cluster] },
    panels: drawn(),
  };
}

const datasource = { name: "datasource", label: "Data source", type: "datasource", query: "prometheus" };

const cluster = {
  name: "cluster",
  label: "Cluster",
  type: "query",
  datasource: { type: "prometheus", uid: "$datasource" },
  query: "label_values(fleet_reloader_cluster_state, cluster)",
  refresh: 2,
  includeAll: true,
  allValue: ".*",
  multi: true,
  current: { text: "All", value: "$__all" },
};

function drawn(): readonly object[] {
  let id = 0;
  let y = 0;
  return rows.flatMap((row) => {
    const its = panels.filter((panel) => panel.row === row);
    const top = y;
    y += 1 + size.h * Math.ceil(its.length / perLine);
    id += 1;
    const head = { id, type: "row", title: row, collapsed: false, gridPos: { x: 0, y: top, w: 24, h: 1 } };
    const graphs = its.map((panel, at) => {
      id += 1;
      const x = size.w * (at % perLine);
      const below = top + 1 + size.h * Math.floor(at / perLine);
      return graph(panel, id, { x, y: below, w: size.w, h: size.h });
    });
    return [head, ...graphs];
  });
}

function graph({ legend, query, title, unit }: Panel, id: number, gridPos: object): object {
  const source = { type: "prometheus", uid: "$datasource" };
  return {
    id,
    type: "timeseries",
    title,
    datasource: source,
    gridPos,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi" } },
    targets: [{ refId: "A", datasource: source, expr: query, legendFormat: legend }],
  };
}
