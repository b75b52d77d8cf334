import { numberAt, parseJson, stringAt } from "../objects/json.ts";
import { badRequest } from "../status-errors.ts";

/** Where the next page of a list begins. Opaque to clients. */
export interface ContinueToken {
  /** The version of the first page, which every page shows; -1 for a list that gave consistency up. */
  readonly version: number;
  readonly afterKey: string;
  /** Objects that follow; unknown with selectors. */
  readonly remaining: number | undefined;
}

export function encodeContinue(token: ContinueToken): string {
  const { version, afterKey, remaining } = token;
  return Buffer.from(
    JSON.stringify({ v: "meta.k8s.io/v1", rv: version, start: afterKey, remaining }),
  ).toString("base64url");
}

export function decodeContinue(text: string): ContinueToken {
  try {
    const json = parseJson(Buffer.from(text, "base64url").toString());
    const version = numberAt(json, "rv");
    const afterKey = stringAt(json, "start");
    if (version !== undefined && afterKey !== undefined) {
      return { version, afterKey, remaining: numberAt(json, "remaining") };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw badRequest("continue key is not valid: illegal base64 data or not a token of this server");
}
