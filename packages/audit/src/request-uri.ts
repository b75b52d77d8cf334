import { jsonText } from "@fleet-reloader/domain/json";

/** The query of the request that an event reports. A longer one than an API server takes holds nothing. */
export function queryOf(event: unknown): URLSearchParams {
  const uri = jsonText(event, "requestURI") ?? "";
  const mark = uri.indexOf("?");
  return new URLSearchParams(mark === -1 || uri.length > uriMax ? "" : uri.slice(mark + 1));
}

/** Go's limit on the header of a request is 1 MiB; a query of ours needs a few words. */
const uriMax = 64 * 1024;
/** As in Kubernetes: validation.FieldManagerMaxLength, in bytes. */
const managerMaxBytes = 128;

/**
 * The field manager of a write: the one that the client names, else the first word of its user agent, as the API server makes it
 * (apiserver/pkg/endpoints/handlers/create.go, `managerOrUserAgent`); `unknown` where there is neither (managedfields, `buildManagerInfo`).
 */
export function fieldManagerOf(event: unknown): string {
  const named = queryOf(event).get("fieldManager");
  if (named) return within(named);
  const [word = ""] = (jsonText(event, "userAgent") ?? "").split("/");
  return within(word.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "")) || "unknown";
}

function within(text: string): string {
  let bytes = 0;
  let kept = "";
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > managerMaxBytes) break;
    kept += character;
  }
  return kept;
}
