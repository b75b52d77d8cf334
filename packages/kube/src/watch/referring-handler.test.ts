import { deployment } from "@fleet-reloader/domain/kind/pod-controller";
import type { LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
import type { StreamEvent } from "@fleet-reloader/engine/ports/source-stream";
import { expect, test } from "vitest";
import { liveWorkload } from "../objects/live-objects.ts";
import { referringHandler } from "./referring-handler.ts";

function upsert(name: string, image = "1"): StreamEvent<LiveWorkload> {
  const metadata = { namespace: "shop", name, uid: name, annotations: { image }, resourceVersion: "1" };
  const object = liveWorkload(deployment, { metadata, spec: {} });
  if (object === undefined) throw new Error(`${name} cannot be read`);
  return { type: "upsert", object };
}

const deleted = (name: string): StreamEvent<LiveWorkload> => ({ ...upsert(name), type: "delete" });

/** A handler behind the template reader. Each name in `failing` fails once there. */
function referring({ readFails = "", handlerFails = 0 } = {}) {
  const handed: string[] = [];
  const reads: string[] = [];
  let failing = readFails;
  let failures = handlerFails;
  const inner = {
    listBegins: () => undefined,
    page: async () => undefined,
    listed: async () => undefined,
    events: async (events: readonly StreamEvent<LiveWorkload>[]) => {
      if (failures-- > 0) throw new Error("the index does not answer");
      for (const { type, object } of events) handed.push(`${type} ${object.ref.name}`);
    },
  };
  const handler = referringHandler(inner, async (live) => {
    reads.push(live.ref.name);
    if (live.ref.name !== failing) return { ...live, template: {} };
    failing = "";
    throw new Error("answered 503");
  });
  return { handler, handed, reads };
}

test("what could not be handed over because another template failed comes again", async () => {
  const { handler, handed } = referring({ readFails: "b" });
  const events = [upsert("a"), upsert("b")];
  await expect(handler.events(events)).rejects.toThrow("answered 503");
  await handler.events(events);
  expect(handed).toEqual(["upsert a", "upsert b"]);
});

test("what the handler could not take comes again", async () => {
  const { handler, handed } = referring({ handlerFails: 1 });
  const events = [upsert("a"), upsert("b")];
  await expect(handler.events(events)).rejects.toThrow("does not answer");
  await handler.events(events);
  expect(handed).toEqual(["upsert a", "upsert b"]);
});

test("a workload that is deleted and created again at once is shown again", async () => {
  const { handler, handed } = referring();
  await handler.events([upsert("a")]);
  await handler.events([deleted("a"), upsert("a")]);
  expect(handed).toEqual(["upsert a", "delete a", "upsert a"]);
});

test("a template is read once for equal states, also when they come together", async () => {
  const { handler, handed, reads } = referring();
  await handler.events([upsert("a"), upsert("a"), upsert("a", "2")]);
  await handler.events([upsert("a", "2")]);
  expect([handed, reads]).toEqual([
    ["upsert a", "upsert a"],
    ["a", "a"],
  ]);
});
