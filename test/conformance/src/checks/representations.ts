import { describe, expect, test } from "vitest";
import type { Api } from "../api.ts";
import { configMap, paths, secret } from "../manifests.ts";
import { typesOf } from "../watch.ts";

const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const metadataList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

export function checkRepresentations(api: Api): void {
  describe("representations", () => {
    test("one object as its metadata", async () => {
      const namespace = await api.namespace();
      const path = paths.secret(namespace, "a");
      await api.post(paths.secrets(namespace), secret("a"));
      const { json } = await api.send({ path, accept: metadataOnly });
      expect(json.keys().toSorted()).toEqual(["apiVersion", "kind", "metadata"]);
      expect(json.text("kind")).toBe("PartialObjectMetadata");
      expect(json.text("apiVersion")).toBe("meta.k8s.io/v1");
      expect(json.name).toBe("a");
      expect(json.items("metadata", "managedFields").length).toBe(1);
    });

    test("a list as metadata, in pages as well", async () => {
      const namespace = await api.namespace();
      for (const name of ["a", "b"]) await api.post(paths.secrets(namespace), secret(name));
      const { json, text } = await api.send({
        path: paths.secrets(namespace),
        query: { limit: 1 },
        accept: `${metadataList},application/json`,
      });
      expect(json.text("kind")).toBe("PartialObjectMetadataList");
      expect(json.text("metadata", "continue")).not.toBe("");
      expect(json.items("items").map((item) => item.name)).toEqual(["a"]);
      expect(json.text("items", 0, "kind")).toBe("PartialObjectMetadata");
      expect(text).not.toContain("dmFsdWU=");
    });

    test("a watch as metadata", async () => {
      const namespace = await api.namespace();
      await api.post(paths.secrets(namespace), secret("a"));
      using watch = await api.watch(paths.secrets(namespace), {}, metadataOnly);
      await api.patch(paths.secret(namespace, "a"), "merge", { data: { key: "b3RoZXI=" } });
      await api.delete(paths.secret(namespace, "a"));
      const events = await watch.take(3);
      expect(typesOf(events)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
      for (const { object } of events) {
        expect(object.text("kind")).toBe("PartialObjectMetadata");
        expect(object.at("data").value).toBeUndefined();
      }
    });

    test("a list is no single PartialObjectMetadata: 406", async () => {
      const { status, json } = await api.send({ path: paths.secrets("default"), accept: metadataOnly });
      expect(status).toBe(406);
      expect(json.text("reason")).toBe("NotAcceptable");
    });

    test("an unknown media type is 406", async () => {
      expect((await api.send({ path: paths.secrets("default"), accept: "text/html" })).status).toBe(406);
    });

    test("the first form that fits is taken", async () => {
      const namespace = await api.namespace();
      await api.post(paths.configMaps(namespace), configMap("a"));
      const accept = "application/json;as=Unknown;g=meta.k8s.io;v=v1,application/json";
      const { json } = await api.send({ path: paths.configMap(namespace, "a"), accept });
      expect(json.text("kind")).toBe("ConfigMap");
    });

    test("a patch's answer as metadata", async () => {
      const namespace = await api.namespace();
      await api.post(paths.configMaps(namespace), configMap("a"));
      const { status, json } = await api.send({
        method: "PATCH",
        path: paths.configMap(namespace, "a"),
        body: { data: { colour: "blue" } },
        contentType: "application/merge-patch+json",
        accept: metadataOnly,
      });
      expect(status).toBe(200);
      expect(json.text("kind")).toBe("PartialObjectMetadata");
    });

    test("a Table with a name per row", async () => {
      const namespace = await api.namespace();
      await api.post(paths.configMaps(namespace), configMap("a"));
      const { json } = await api.send({
        path: paths.configMaps(namespace),
        accept: `${table},application/json`,
      });
      expect(json.text("kind")).toBe("Table");
      expect(json.items("columnDefinitions").map((column) => column.text("name"))).toEqual([
        "Name",
        "Data",
        "Age",
      ]);
      expect(json.at("rows", 0, "cells", 0).value).toBe("a");
      expect(json.text("rows", 0, "object", "kind")).toBe("PartialObjectMetadata");
    });
  });
}
