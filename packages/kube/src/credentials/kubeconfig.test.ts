import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Fault } from "@fleet-reloader/domain/fault";
import { describe, expect, test } from "vitest";
import { targetOf, targetsOf } from "../fixture/targets-of.ts";
import { selectTargets } from "./kubeconfig.ts";

const kubeconfig = (server: unknown, more: object = {}) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server } }],
    users: [{ name: "u", user: { token: "hunter2" } }],
    contexts: [
      { name: "one", context: { cluster: "c", user: "u" } },
      { name: "two", context: { cluster: "c", user: "u" } },
      { name: "nobody", context: { cluster: "c", user: "missing" } },
      { name: "nowhere", context: { cluster: "missing", user: "u" } },
    ],
    "current-context": "one",
    ...more,
  });

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof Fault && error.code === "config.invalid")
      return `${error.message}${String(error.cause ?? "")}`;
    throw error;
  }
  return "";
}

const good = kubeconfig("https://kube.example.com:6443");

describe("the contexts of a kubeconfig", () => {
  test("the current one, unless others are named", () => {
    expect(targetsOf(good).map(({ name }) => name)).toEqual(["one"]);
    expect(targetsOf(good, ["two", "one"]).map(({ name }) => name)).toEqual(["two", "one"]);
    expect(targetOf(good).server).toBe("https://kube.example.com:6443");
  });

  // kubectl ignores it too.
  test("an empty proxy-url is no proxy", () => {
    const cluster = { server: "https://kube.example.com", "proxy-url": "" };
    const empty = kubeconfig("", { clusters: [{ name: "c", cluster }] });
    expect(targetOf(empty).proxyUrl).toBeUndefined();
  });

  test("each has credentials of its own", () => {
    const [two, one] = targetsOf(good, ["two", "one"]);
    expect(two?.config.getCurrentContext()).toBe("two");
    expect(one?.config.getCurrentContext()).toBe("one");
  });

  test("one that is not there is told with those that are", () => {
    expect(refusal(() => targetsOf(good, ["three"]))).toMatch(
      /^--context three: no such context in .*; it has: one, two, nobody, nowhere$/,
    );
    expect(refusal(() => targetsOf(kubeconfig("https://kube", { "current-context": undefined })))).toMatch(
      /^current-context "": no such context in .*; it has: one, two, nobody, nowhere; name one with --context$/,
    );
  });

  test("one without its user or its cluster is refused", () => {
    expect(refusal(() => targetsOf(good, ["nobody"]))).toMatch(
      /^--context nobody: its user is not defined in .*; add it under users$/,
    );
    expect(refusal(() => targetsOf(good, ["nowhere"]))).toMatch(
      /^--context nowhere: its cluster is not defined in .*; add it under clusters$/,
    );
  });
});

describe("the server", () => {
  test.each(["kube.example.com:6443", "localhost:6443", "10.0.0.1:6443", "ftp://kube", "kube"])(
    "%s is no address",
    (server) => {
      expect(refusal(() => targetsOf(kubeconfig(server)))).toMatch(
        /^--context one: its server is no address; expected https:\/\/host:port$/,
      );
    },
  );

  test.each(["http://127.0.0.1:8001", "http://localhost:8001", "http://[::1]:8001"])(
    "%s may be plain HTTP",
    (server) => {
      expect(targetOf(kubeconfig(server)).server).toBe(server);
    },
  );

  test.each([
    "http://kube:8080",
    "http://10.0.0.1",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
  ])("%s may not", (server) => {
    expect(refusal(() => targetsOf(kubeconfig(server)))).toBe(
      `--context one: its server ${server} is plain HTTP and not on this machine; use https`,
    );
  });
});

test.each(["https://me:hunter2@kube", "https://hunter2@kube:6443"])(
  "a server with a name or a password in it is refused, and not repeated (%s)",
  (server) => {
    const said = refusal(() => targetsOf(kubeconfig(server)));
    expect(said).toMatch(/^--context one: its server has a name or a password in it/);
    expect(said).not.toContain("hunter2");
  },
);

describe("a file", () => {
  test("that is missing is told with the flag and the mend", () => {
    expect(refusal(() => selectTargets(["/nowhere/config"], []))).toMatch(
      /^--kubeconfig \/nowhere\/config: the file cannot be read \(ENOENT\); give the path/,
    );
  });

  test.each([
    ["broken YAML", "users: [{ token: hunter2\n  oops: }"],
    ["another document", "token: hunter2"],
    ["text", "hunter2"],
    ["nothing", ""],
    ["users without a name", "users:\n- user: { token: hunter2 }\ncontexts: []\nclusters: []"],
  ])("with %s is no kubeconfig, and nothing in it is quoted", (_what, text) => {
    const message = refusal(() => targetsOf(text));
    expect(message).toContain("expected YAML with clusters, users and contexts");
    expect(message).not.toContain("hunter2");
  });

  test("names other files relative to itself", () => {
    const dir = mkdtempSync(join(tmpdir(), "fr-"));
    try {
      const file = join(dir, "config");
      const users = [{ name: "u", user: { "client-certificate": "me.crt", "client-key": "me.key" } }];
      writeFileSync(file, kubeconfig("https://kube", { users }));
      expect(selectTargets([file], [])[0]?.config.getCurrentUser()?.certFile).toBe(join(dir, "me.crt"));
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

describe("what kubectl takes", () => {
  const withUser = (user: object) => kubeconfig("https://kube", { users: [{ name: "u", user }] });

  test("may have entries that lack something, as long as they are not used", () => {
    const clusters = [
      { name: "c", cluster: { server: "https://kube" } },
      { name: "unfinished", cluster: {} },
    ];
    const contexts = [
      { name: "one", context: { cluster: "c", user: "u" } },
      { name: "unfinished", context: { namespace: "shop" } },
    ];
    expect(targetOf(kubeconfig("", { clusters, contexts })).server).toBe("https://kube");
    expect(refusal(() => targetsOf(kubeconfig("", { clusters, contexts }), ["unfinished"]))).toContain(
      "--context unfinished: no such context",
    );
  });

  test("prefers data to a file that is named beside it", () => {
    const user = { "client-certificate": "gone.crt", "client-certificate-data": "Q0VSVA==" };
    const key = { "client-key": "gone.key", "client-key-data": "S0VZ" };
    const { config } = targetOf(withUser({ ...user, ...key }));
    expect(config.getCurrentUser()).toMatchObject({ certData: "Q0VSVA==", keyData: "S0VZ" });
    expect(Object.keys(config.getCurrentUser() ?? {})).not.toContain("certFile");
    expect(Object.keys(config.getCurrentUser() ?? {})).not.toContain("keyFile");
  });

  test("names a plugin relative to itself where its command is a path", () => {
    const commandOf = (command: string) =>
      targetOf(withUser({ exec: { command } })).config.getCurrentUser()?.exec;
    expect(commandOf("./bin/login").command).toMatch(/^\/.*\/bin\/login$/);
    expect(commandOf("/usr/bin/login").command).toBe("/usr/bin/login");
    expect(commandOf("aws").command).toBe("aws");
  });

  test.each(["as-groups", "as-uid", "as-user-extra"])("but not %s: we would act as another", (field) => {
    expect(refusal(() => targetsOf(withUser({ token: "t", as: "ann", [field]: ["g"] })))).toBe(
      `--context one: its user's ${field}: only the user name of "as" is passed on; remove the field`,
    );
    const users = [
      { name: "u", user: { token: "t" } },
      { name: "other", user: { token: "t", [field]: ["g"] } },
    ];
    expect(targetOf(kubeconfig("https://kube", { users })).name).toBe("one");
  });
});

describe("several files", () => {
  function inFiles<T>(texts: readonly string[], look: (paths: readonly string[]) => T): T {
    const dir = mkdtempSync(join(tmpdir(), "fr-"));
    try {
      return look(
        texts.map((text, index) => {
          const folder = join(dir, `folder-${index}`);
          mkdirSync(folder);
          writeFileSync(join(folder, "config"), text);
          return join(folder, "config");
        }),
      );
    } finally {
      rmSync(dir, { recursive: true });
    }
  }
  const named = (name: string, server: string, more: object = {}) =>
    JSON.stringify({
      clusters: [{ name, cluster: { server } }],
      users: [{ name, user: { "client-certificate": `${name}.crt` } }],
      contexts: [{ name, context: { cluster: name, user: name } }],
      ...more,
    });

  test("are merged: the first entry of a name wins, and the first current context", () => {
    const texts = [
      named("a", "https://first"),
      named("b", "https://b", { "current-context": "b" }),
      named("a", "https://second", { "current-context": "a" }),
    ];
    inFiles(texts, (paths) => {
      expect(selectTargets(paths, []).map(({ name }) => name)).toEqual(["b"]);
      const [a, b] = selectTargets(paths, ["a", "b"]);
      expect(a?.server).toBe("https://first");
      expect(b?.server).toBe("https://b");
    });
  });

  test("may hold the parts of one context, and each names other files relative to itself", () => {
    const parts = [
      JSON.stringify({
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        "current-context": "x",
      }),
      JSON.stringify({ clusters: [{ name: "c", cluster: { server: "https://kube" } }] }),
      JSON.stringify({ users: [{ name: "u", user: { "client-certificate": "me.crt" } }] }),
    ];
    inFiles(parts, (paths) => {
      const [target] = selectTargets(paths, []);
      expect(target?.server).toBe("https://kube");
      expect(target?.config.getCurrentUser()?.certFile).toBe(join(dirname(paths[2] ?? ""), "me.crt"));
    });
  });

  test("may be empty or missing, as long as one is there", () => {
    inFiles(["", named("a", "https://a", { "current-context": "a" })], (paths) => {
      expect(selectTargets(["/nowhere", ...paths], []).map(({ name }) => name)).toEqual(["a"]);
    });
    expect(refusal(() => selectTargets(["/nowhere/a", "/nowhere/b"], []))).toMatch(
      /^--kubeconfig \/nowhere\/a: the file cannot be read \(ENOENT\)/,
    );
  });

  test("with a broken one are refused, and the broken one is named", () => {
    inFiles([named("a", "https://a"), "users: [{ token: hunter2"], (paths) => {
      const message = refusal(() => selectTargets(paths, ["a"]));
      expect(message).toContain(`--kubeconfig ${paths[1]}: this is no kubeconfig`);
      expect(message).not.toContain("hunter2");
    });
  });

  test("are all named when a context is in none of them", () => {
    inFiles([named("a", "https://a"), named("b", "https://b")], (paths) => {
      expect(refusal(() => selectTargets(paths, ["c"]))).toBe(
        `--context c: no such context in ${paths.join(":")}; it has: a, b`,
      );
    });
  });
});

test("without a kubeconfig and outside a pod there is nothing to serve", () => {
  expect(refusal(() => selectTargets([], []))).toContain("name a kubeconfig file");
});
