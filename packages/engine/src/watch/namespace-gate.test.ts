import { expect, test } from "vitest";
import { NamespaceGate } from "./namespace-gate.ts";

interface Seen {
  readonly ref: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly at: number;
}

const seen = (name: string, at: number, namespace = "a"): Seen => ({
  ref: { kind: "Deployment", namespace, name },
  at,
});

function gated(isServed: (namespace: string) => boolean = () => true) {
  const happened: string[] = [];
  const slow = { until: Promise.resolve() };
  const note = async (what: string, objects: readonly Seen[]) => {
    await slow.until;
    happened.push(`${what} ${objects.map(({ ref, at }) => `${ref.name}${at}`).join(" ")}`);
  };
  const gate = new NamespaceGate<Seen>(
    {
      listBegins: () => undefined,
      page: (objects) => note("page", objects),
      listed: async () => undefined,
      events: (events) =>
        note(
          "events",
          events.map(({ object }) => object),
        ),
    },
    isServed,
  );
  return { gate, happened, slow };
}

const upsert = (object: Seen) => ({ type: "upsert", object }) as const;

// The list was made before the event and is read after it: if it were accepted as it comes, it would restore the old state.
test("objects that the stream shows during the list of a namespace win over the list", async () => {
  const { gate, happened } = gated();
  const list = gate.catchUp("a");
  list.listBegins();
  await gate.events([upsert(seen("api", 2))]);
  await list.page([seen("api", 1), seen("web", 1)]);
  await list.listed();
  expect(happened).toEqual(["events api2", "page web1"]);
  list.listBegins();
  await list.page([seen("api", 3)]);
  expect(happened.at(-1)).toBe("page api3");
});

test("the stream and a list are handled one at a time, in the order of arrival", async () => {
  const { gate, happened, slow } = gated();
  const first = Promise.withResolvers<void>();
  slow.until = first.promise;
  const list = gate.catchUp("a");
  list.listBegins();
  const both = [list.page([seen("api", 1)]), gate.events([upsert(seen("api", 2))])];
  first.resolve();
  await Promise.all(both);
  expect(happened).toEqual(["page api1", "events api2"]);
});

test("objects of unserved namespaces are dropped, also those of a late list", async () => {
  const served = new Set(["a"]);
  const { gate, happened } = gated((namespace) => served.has(namespace));
  await gate.page([seen("api", 1), seen("api", 1, "b")]);
  await gate.events([upsert(seen("web", 1, "b"))]);
  expect(happened).toEqual(["page api1"]);
  const list = gate.catchUp("a");
  list.listBegins();
  served.delete("a");
  await list.page([seen("api", 2)]);
  expect(happened).toEqual(["page api1"]);
});

test("a failure rejects its own call and does not block later ones", async () => {
  const { gate, happened, slow } = gated();
  slow.until = Promise.reject(new Error("down"));
  await expect(gate.page([seen("api", 1)])).rejects.toThrow("down");
  slow.until = Promise.resolve();
  await gate.page([seen("api", 1)]);
  expect(happened).toEqual(["page api1"]);
});
