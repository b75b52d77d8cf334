import { defaultDialect } from "@fleet-reloader/domain/annotation/dialect";
import { describe, expect, test } from "vitest";
import { ruleFields } from "./fields.ts";
import { loadConfig } from "./load.ts";
import { remarkOn } from "./remarks.ts";
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

describe("a maximum wait below the quiet period counts as the quiet period, and", () => {
  const remarks = (...args: readonly string[]) => {
    const said: string[] = [];
    const warn = (_fields: object, message: string) => void said.push(message);
    remarkOn(ruleFields, { args, env: {} }, { warn });
    return said;
  };

  test.each([
    ["--debounce=40s", "--max-wait=10s", "40s"],
    ["--debounce=1m", "--max-wait=30s", "1m"],
    ["--max-wait=1s", "--debounce=2s", "2s"],
  ])("%s %s is remarked on", (one, other, debounce) => {
    const config = loadConfig(ruleFields, { args: [one, other], env: {} });
    const { maxWaitMs, quietPeriodMs } = settingsOf(config).debounce;
    expect(maxWaitMs).toBe(quietPeriodMs);
    expect(remarks(one, other)).toEqual([
      expect.stringMatching(
        `^--max-wait .*: is shorter than the quiet period, so a change waits for ${debounce}; write at least --max-wait=${debounce}$`,
      ),
    ]);
  });

  test("a lone --max-wait is compared with the default", () =>
    expect(remarks("--max-wait=1s")).toEqual([expect.stringContaining("at least --max-wait=2s")]));

  test.each([[[]], [["--debounce=40s"]], [["--debounce=40s", "--max-wait=40s"]], [["--max-wait=5m"]]])(
    "%j is not",
    (args) => expect(remarks(...args)).toEqual([]),
  );
});
