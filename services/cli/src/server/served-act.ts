import { Fault } from "@fleet-reloader/domain/fault";
import type { ObjectAction } from "@fleet-reloader/engine/act/object-act";
import { printable } from "@fleet-reloader/runtime/log/printable";
import type { ApiClient } from "./api-client.ts";

/** An act, with what it is about as words name it. */
export interface ServedAct {
  readonly action: ObjectAction | "discard";
  readonly body: Readonly<Record<"object" | "cluster" | "namespace", string>>;
}

/** How many workloads an act means now; or why it means nothing, in a sentence without an end. */
export type MeantByServer =
  | { readonly count: number; readonly nothing?: undefined }
  | { readonly nothing: string };

/** Asks a server what an act means. Nothing is done. */
export async function meantByServer({ action, body }: ServedAct, client: ApiClient): Promise<MeantByServer> {
  try {
    const asked = Object.assign({}, body, { reason: "", dryRun: true });
    return { count: (await client.act(action, asked)).count };
  } catch (error) {
    // The object is understood here already, so what is refused is that it means nothing.
    if (!(error instanceof Fault) || error.context.field !== "object") throw error;
    return { nothing: String(error.context.problem).replace(/^object: /, "") };
  }
}

/** Acts by a server if it still means so many. Resolves to what was done, for people. The owner of the token acts. */
export async function actByServer(
  { action, body }: ServedAct,
  { count, reason }: { readonly count: number; readonly reason: string },
  client: ApiClient,
): Promise<string> {
  const sent = Object.assign({}, body, { reason, expect: count, dryRun: false });
  const { notice = "", target } = await client.act(action, sent);
  return printable(notice || target);
}

/** The owner of the token acts: another name in the history would be false. */
export function refuseName(by: string): void {
  if (by !== "")
    throw new Fault(
      "config.invalid",
      `--by ${by}: with --server the owner of the token acts; leave it out, or sign in as somebody else`,
    );
}
