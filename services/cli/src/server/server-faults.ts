import { actsRoot } from "@fleet-reloader/contracts/api/act-routes";
import type { ApiProblem } from "@fleet-reloader/contracts/api/api-problem";
import { Fault, type FaultCode, faultCatalogue, type RefusedPart } from "@fleet-reloader/domain/fault";
import { printable } from "@fleet-reloader/runtime/log/printable";

/** What to do about failures to connect, by their code. */
const connectMends: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there: check the address, and that its port is still forwarded",
  ENOTFOUND: "no host has this name: check the address",
  EAI_AGAIN: "the name cannot be looked up now: check the network",
  CERT_HAS_EXPIRED: "its certificate is over: renew it",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name: write the address by that name",
  DEPTH_ZERO_SELF_SIGNED_CERT: "give who signed its certificate by --server-ca-file",
  SELF_SIGNED_CERT_IN_CHAIN: "give who signed its certificate by --server-ca-file",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "give who signed its certificate by --server-ca-file",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "give who signed its certificate by --server-ca-file",
};

/** The fault of a server that cannot be reached, or that hangs up. */
export function unreachableServer(server: URL, error: unknown): Fault {
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  const why = code ?? (error instanceof Error ? error.message : "unknown");
  const mend = connectMends[code ?? ""] ?? "check the address and the way to it";
  return new Fault("server.unreachable", `--server ${server.origin}: ${printable(why)}; ${mend}`);
}

/** The fault of an answer that is not one of ours. */
export function foreignServer(server: URL, problem: string): Fault {
  const mend = "write the address of --dashboard-address, of the same version as this command";
  return new Fault("server.foreign", `--server ${server.origin}: ${printable(problem)}; ${mend}`);
}

/** The fault of an act that was sent and not answered. */
export function outcomeUnknown(server: URL, cause: Fault): Fault {
  const mend = `look at fleet-reloader history --server ${server.origin} --since 10m before you act again`;
  return new Fault("act.unknown", `it is not known whether it was done (${cause.message}); ${mend}`, {
    cause,
  });
}

/** What a server refuses. */
export interface RefusedRequest {
  readonly server: URL;
  readonly token: string | undefined;
  readonly path: string;
}

/** The fault that a server answers with, in its own words. A count is that of what an act means now. */
export function refusalOf(
  { path, server, token }: RefusedRequest,
  status: number,
  { code, count, field, mend, parts = [], problem }: ApiProblem,
): Fault {
  const known = faultCodeOf(code, status);
  const shownMend = mendOf({ status, mend, field, path, hasToken: token !== undefined }, server);
  const one = printable(withMend(problem, shownMend));
  // Parts are of a question that is not understood: their mends are as good here.
  const text =
    parts.length === 0 ? one : parts.map((part) => printable(withMend(part.problem, part.mend))).join("\n");
  // What is wrong with a question is a flag of this command, unless it is named as one of the server's.
  const isOurs = known === "question.invalid" && !problem.startsWith("--");
  return new Fault(known, isOurs ? text : `--server ${server.origin}: ${text}`, {
    context: {
      ...(field === undefined ? {} : { field }),
      ...(count === undefined ? {} : { count }),
      problem: printable(problem),
      mend: printable(mend),
    },
    parts: parts.map(printablePart),
  });
}

function printablePart({ field, mend, problem, value }: RefusedPart): RefusedPart {
  return {
    field: printable(field),
    value: printable(value),
    problem: printable(problem),
    mend: printable(mend),
  };
}

interface ServerRefusal {
  readonly field: string | undefined;
  readonly hasToken: boolean;
  readonly mend: string;
  readonly path: string;
  readonly status: number;
}

/** The mend for who uses the command line; empty: there is none. */
function mendOf({ field, hasToken, mend, path, status }: ServerRefusal, { origin }: URL): string {
  // The server's own mends send people to the page, or to the command line, where they already are.
  if (field === "caller")
    return `start the server with --access-file, or give ${flagsWithoutServer(path)} in place of --server`;
  if (field === "--freeze-configmap") return "give it to all processes, or leave --server out";
  if (status === 401)
    return `write fleet-reloader login --server ${origin}${hasToken ? " --browser, or with a token of its access file" : ", or give --token-file"}`;
  // The mend of every message that has its own adds nothing here.
  const isOfAll = ["question.invalid", "config.invalid"] as const;
  return isOfAll.some((code) => mend === faultCatalogue[code].mend) ? "" : mend;
}

/** A freeze is written where the workers read freezes. All other acts are done in Redis. */
function flagsWithoutServer(path: string): string {
  const isOfFreezes = path === `${actsRoot}/freeze` || path === `${actsRoot}/lift`;
  return isOfFreezes ? "--freeze-configmap or --freeze-file, as the workers have it," : "--redis-url";
}

/** A mend ends the sentence of the problem. Those of the catalogue of faults are sentences of their own. */
function withMend(problem: string, mend: string): string {
  if (mend === "") return problem;
  return /^[A-Z]/.test(mend) ? `${problem.replace(/\.$/, "")}. What to do: ${mend}` : `${problem}; ${mend}`;
}

/** What is wrong with the server is nothing that this command was called with. */
function faultCodeOf(code: string, status: number): FaultCode {
  const known = faultCodes.find((one) => one === code);
  if (status === 401) return "access.unauthenticated";
  if (known === undefined || status === 403) return isDenied(known) ? known : statusCodeOf(status);
  const { class: its } = faultCatalogue[known];
  return its === "misconfigured" || its === "invariant" ? "server.foreign" : known;
}

const faultCodes = Object.keys(faultCatalogue) as readonly FaultCode[];

function isDenied(code: FaultCode | undefined): code is FaultCode {
  return code !== undefined && faultCatalogue[code].class === "denied";
}

function statusCodeOf(status: number): FaultCode {
  if (status === 403) return "access.forbidden";
  if (status === 429) return "access.throttled";
  return status === 400 || status === 404 || status === 409 ? "question.invalid" : "server.foreign";
}
