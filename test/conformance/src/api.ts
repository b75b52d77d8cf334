import { once } from "node:events";
import { gunzipSync } from "node:zlib";
import { Json } from "./json.ts";
import { type ApiCall, openRequest, type Target } from "./target.ts";
import { openWatch, type Watch } from "./watch.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly json: Json;
  readonly text: string;
}

export type PatchForm = "merge" | "strategic" | "json" | "apply";

const patchTypes: Readonly<Record<PatchForm, string>> = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
  apply: "application/apply-patch+yaml",
};

/** The few requests that checks are made of. */
export class Api {
  readonly #target: () => Target;

  /** The target is asked for late: suites are declared before a server runs. */
  constructor(target: () => Target) {
    this.#target = target;
  }

  get target(): Target {
    return this.#target();
  }

  async send(call: ApiCall): Promise<Answer> {
    const response = await openRequest(this.target, call);
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    await once(response, "end");
    const bytes = Buffer.concat(chunks);
    const text = (response.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString();
    return { status: response.statusCode ?? 0, headers: response.headers, text, json: new Json(parse(text)) };
  }

  get(path: string, query: ApiCall["query"] = {}): Promise<Answer> {
    return this.send({ path, query });
  }

  post(path: string, body: unknown, query: ApiCall["query"] = {}): Promise<Answer> {
    return this.send({ method: "POST", path, body, query });
  }

  put(path: string, body: unknown, query: ApiCall["query"] = {}): Promise<Answer> {
    return this.send({ method: "PUT", path, body, query });
  }

  patch(path: string, form: PatchForm, body: unknown, query: ApiCall["query"] = {}): Promise<Answer> {
    return this.send({ method: "PATCH", path, body, query, contentType: patchTypes[form] });
  }

  delete(path: string, body?: unknown, query: ApiCall["query"] = {}): Promise<Answer> {
    return this.send({ method: "DELETE", path, body, query });
  }

  watch(path: string, query: ApiCall["query"] = {}, accept?: string): Promise<Watch> {
    const call = { path, query: { watch: "true", ...query } };
    return openWatch(this.target, accept === undefined ? call : { ...call, accept });
  }

  /** A namespace of its own for every check: nothing is cleaned up, nothing collides. */
  async namespace(): Promise<string> {
    const answer = await this.post("/api/v1/namespaces", { metadata: { generateName: "check-" } });
    if (answer.status !== 201) throw new Error(`no namespace: ${answer.text}`);
    return answer.json.name;
  }

  /** Asks again until the answer is as wished; for what controllers do in their own time. */
  async until(
    path: string,
    isDone: (answer: Answer) => boolean,
    query: ApiCall["query"] = {},
  ): Promise<Answer> {
    const deadline = performance.now() + UNTIL_MS;
    for (;;) {
      const answer = await this.get(path, query);
      if (isDone(answer)) return answer;
      if (performance.now() > deadline) throw new Error(`${path} did not come true: ${answer.text}`);
      await new Promise((resolve) => setTimeout(resolve, UNTIL_STEP_MS));
    }
  }
}

/** The real namespace controller needs 10 to 13 s for a namespace with something in it. */
const UNTIL_MS = 40_000;
const UNTIL_STEP_MS = 50;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Health answers are plain text.
    return undefined;
  }
}
