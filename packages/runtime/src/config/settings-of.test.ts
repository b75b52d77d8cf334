import { defaultDialect } from "@fleet-reloader/domain/annotation/dialect";
import { expect, test } from "vitest";
import { ruleFields } from "./fields.ts";
import { loadConfig } from "./load.ts";
import { settingsOf } from "./settings-of.ts";

const dialect = (...args: readonly string[]) => settingsOf(loadConfig(ruleFields, { args, env: {} })).dialect;

test("without flags annotations have the peer's names", () => {
  expect(dialect()).toEqual(defaultDialect);
});

test("each of the peer's ten flags renames one annotation, and nothing else", () => {
  const { ConfigMap, Secret } = defaultDialect.kinds;
  const withKinds = (kinds: object) => ({ ...defaultDialect, kinds: { ...defaultDialect.kinds, ...kinds } });
  const renamed = {
    "configmap-annotation": withKinds({ ConfigMap: { ...ConfigMap, named: "acme.io/x" } }),
    "secret-annotation": withKinds({ Secret: { ...Secret, named: "acme.io/x" } }),
    "auto-annotation": { ...defaultDialect, auto: "acme.io/x" },
    "configmap-auto-annotation": withKinds({ ConfigMap: { ...ConfigMap, auto: "acme.io/x" } }),
    "secret-auto-annotation": withKinds({ Secret: { ...Secret, auto: "acme.io/x" } }),
    "ignore-annotation": { ...defaultDialect, ignore: "acme.io/x" },
    "auto-search-annotation": { ...defaultDialect, search: "acme.io/x" },
    "search-match-annotation": { ...defaultDialect, match: "acme.io/x" },
    "pause-deployment-annotation": { ...defaultDialect, pausePeriod: "acme.io/x" },
    "pause-deployment-time-annotation": { ...defaultDialect, pausedAt: "acme.io/x" },
  };
  for (const [flag, expected] of Object.entries(renamed))
    expect(dialect(`--${flag}=acme.io/x`), flag).toEqual(expected);
});
