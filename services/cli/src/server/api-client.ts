import {
  type ActAnswer,
  type ActBody,
  type ActName,
  actAnswer,
  actsRoot,
} from "@fleet-reloader/contracts/api/act-routes";
import {
  type ApiAnswer,
  type ApiRouteName,
  apiRoot,
  apiRoutes,
  sessionPath,
} from "@fleet-reloader/contracts/api/api-routes";
import { jsonField } from "@fleet-reloader/domain/json";
import { exchange, type ServerLink, type ServerRequest } from "./exchange.ts";
import { historyPath, readJsonAnswer, readLines } from "./read-answer.ts";
import { foreignServer } from "./server-faults.ts";

/** What a question to a route says. */
export interface RouteQuestion {
  /** In the place of the parameters of its path. */
  readonly path?: Readonly<Record<string, string>>;
  /** An empty text, and an empty list, is left out. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
}

/** Asks a server of the fleet, and acts by it. Answers are checked by the contracts of the API. */
export class ApiClient {
  readonly #link: ServerLink;
  #answeredAtMs: number | undefined;

  constructor(link: ServerLink) {
    this.#link = link;
  }

  /** Scheme, host and port. */
  get origin(): string {
    return this.#link.server.origin;
  }

  /** The time of the server when it answered last, so that the clock of a laptop does not matter; before that, ours. */
  now(): number {
    return this.#answeredAtMs ?? this.#link.clock.now();
  }

  async ask<N extends ApiRouteName>(
    route: N,
    { path = {}, query = {} }: RouteQuestion,
  ): Promise<ApiAnswer<N>> {
    const { answer, path: template } = apiRoutes[route];
    const place = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
    const read = await this.#json({ path: `${apiRoot}${place}${routeQueryText(query)}`, isAct: false });
    const checked = answer.safeParse(read);
    // Its own contract checks the answer of a route just here.
    if (checked.success) return checked.data as ApiAnswer<N>;
    throw this.#otherVersion(checked.error.issues[0]?.path);
  }

  /** Acts, or asks with `dryRun` what would be meant. */
  async act<N extends ActName>(act: N, body: ActBody<N>): Promise<ActAnswer> {
    const path = `${actsRoot}/${act}`;
    const read = await this.#json({ path, body: JSON.stringify(body), isAct: !body.dryRun });
    const checked = actAnswer.safeParse(read);
    if (checked.success) return checked.data;
    throw this.#otherVersion(checked.error.issues[0]?.path);
  }

  /** The server's name for the owner of the token; empty: it asks nobody to sign in. */
  async signedIn(): Promise<string> {
    const name = jsonField(await this.#json({ path: sessionPath, isAct: false }), "name");
    if (typeof name === "string") return name;
    throw this.#otherVersion(["name"]);
  }

  /** Ends what the token has begun at the server. A token of the access file has begun nothing. */
  async signOut(): Promise<void> {
    await this.#json({ path: sessionPath, method: "DELETE", isAct: false });
  }

  /** Gives the lines of the history to `write` as they come. */
  async history(
    query: Readonly<Record<string, string>>,
    write: (lines: AsyncIterable<string>) => Promise<void>,
  ): Promise<void> {
    const path = `${historyPath}${routeQueryText(query)}`;
    await exchange(this.#link, { path, isAct: false }, (answer) => write(readLines(this.#link, answer)));
  }

  async #json(asked: ServerRequest): Promise<unknown> {
    return await exchange(this.#link, asked, async (answer) => {
      const atMs = Date.parse(answer.headers.date ?? "");
      if (!Number.isNaN(atMs)) this.#answeredAtMs = atMs;
      return await readJsonAnswer(this.#link, asked, answer);
    });
  }

  #otherVersion(at: readonly PropertyKey[] = []) {
    const field = at.map(String).join(".");
    return foreignServer(this.#link.server, `its answer is not as this version knows it (${field})`);
  }
}

function routeQueryText(query: NonNullable<RouteQuestion["query"]>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : value).map((one): [string, string] => [name, one]),
  );
  const text = new URLSearchParams(pairs.filter(([, value]) => value !== "")).toString();
  return text === "" ? "" : `?${text}`;
}
