/** What the request of an event says beside what it is about. */
export interface AuditedRequest {
  /** Nothing was to be written. */
  readonly isDryRun: boolean;
  /** The field manager that the API server gives a write of this client. */
  readonly manager: string;
}

/** Go's limit on the header of a request is 1 MiB; a query of ours needs a few words. A longer one holds nothing. */
const uriMax = 64 * 1024;
/** As in Kubernetes: validation.FieldManagerMaxLength, in bytes. */
const managerMaxBytes = 128;

/**
 * The field manager of a write is the one that the client names, else the first word of its user agent, as the API server makes it
 * (apiserver/pkg/endpoints/handlers/create.go, `managerOrUserAgent`); `unknown` where there is neither (managedfields, `buildManagerInfo`).
 */
export function readRequest(uri: string, userAgent: string): AuditedRequest {
  const mark = uri.length > uriMax ? -1 : uri.indexOf("?");
  const query = mark === -1 ? undefined : new URLSearchParams(uri.slice(mark + 1));
  const named = query?.get("fieldManager");
  // Whatever the value is: https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run
  return {
    isDryRun: query?.has("dryRun") === true,
    manager: within(named || firstWord(userAgent)) || "unknown",
  };
}

function firstWord(userAgent: string): string {
  const [word = ""] = userAgent.split("/", 1);
  return word.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "");
}

function within(text: string): string {
  if (Buffer.byteLength(text) <= managerMaxBytes) return text;
  let bytes = 0;
  let kept = "";
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > managerMaxBytes) break;
    kept += character;
  }
  return kept;
}
