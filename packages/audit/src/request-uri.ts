/** What the request of an event says, apart from its object. */
export interface AuditedRequest {
  /** A dry run writes nothing. */
  readonly isDryRun: boolean;
  /** The field manager that the API server gives a write of this client. */
  readonly manager: string;
}

/** Go limits the headers of a request to 1 MiB. A query that we read has a few words; a longer one is not read. */
const uriMax = 64 * 1024;
/** As in Kubernetes: validation.FieldManagerMaxLength, in bytes. */
const managerMaxBytes = 128;

/**
 * The field manager of a write: the one that the client names, otherwise the first word of its user agent, as the API server computes it
 * (apiserver/pkg/endpoints/handlers/create.go, `managerOrUserAgent`). `unknown` if there is neither (managedfields, `buildManagerInfo`).
 */
export function readRequest(uri: string, userAgent: string): AuditedRequest {
  const mark = uri.length > uriMax ? -1 : uri.indexOf("?");
  const query = mark === -1 ? undefined : new URLSearchParams(uri.slice(mark + 1));
  const named = query?.get("fieldManager");
  // Any value counts: https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run
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
