import { apiProblem } from "@fleet-reloader/contracts/api/api-problem";
import { parseJson } from "@fleet-reloader/domain/json";
import type { ServerAnswer, ServerLink, ServerRequest } from "./exchange.ts";
import { foreignServer, refusalOf } from "./server-faults.ts";

/** Answers of the API have at most 200 KiB: what is larger is not ours. */
const servedBytesMax = 1024 * 1024;

/** Reads an answer of the API as JSON. Faults with what it refuses, and with `server.foreign` when it is not ours. */
export async function readJsonAnswer(
  link: ServerLink,
  { path }: Pick<ServerRequest, "path">,
  answer: ServerAnswer,
): Promise<unknown> {
  const { server, token } = link;
  assertOurs(link, answer);
  const read = parseJson(await readAnswerText(link, answer));
  const { status } = answer;
  if (read === undefined || !isJson(answer)) throw foreignServer(server, foreignText(answer));
  if (status === 200) return read;
  const problem = apiProblem.safeParse(read);
  if (!problem.success) throw foreignServer(server, foreignText(answer));
  throw refusalOf({ server, token, path }, status, problem.data);
}

/** Lines of JSON as they come, without their ends. Faults as the API does, whose refusals are texts here. */
export async function* readLines(link: ServerLink, answer: ServerAnswer): AsyncGenerator<string> {
  assertOurs(link, answer);
  const { status } = answer;
  const type = answer.headers["content-type"] ?? "";
  if (status !== 200) {
    const lines = (await readAnswerText(link, answer)).trim().split("\n");
    const [problem = "", ...mend] = lines.join("; ").split("; ");
    if (!/^text\/plain/.test(type)) throw foreignServer(link.server, foreignText(answer));
    const { server, token } = link;
    const refused = { code: textCodes[status] ?? "", problem, mend: mend.join("; ") };
    throw refusalOf({ server, token, path: historyPath }, status, refused);
  }
  if (!/^application\/x-ndjson/.test(type)) throw foreignServer(link.server, foreignText(answer));
  yield* linesIn(link, answer);
}

/** What is answered in lines. */
export const historyPath = "/history";

/** Of the refusals that are texts. */
const textCodes: Readonly<Record<number, string>> = { 400: "question.invalid", 503: "redis.unavailable" };

/** Neither a redirect nor the answer to another name is looked at further. */
function assertOurs({ server }: ServerLink, { headers, status }: ServerAnswer): void {
  if (status >= 300 && status < 400) {
    const to = URL.parse(headers.location ?? "", server.href)?.origin ?? "nowhere";
    throw foreignServer(server, `it answers ${status} and leads to ${to}, where no token is sent`);
  }
  if (status === 421)
    throw foreignServer(
      server,
      "it does not answer to this name (421); give the name to its --allowed-hosts, or ask by IP address",
    );
}

async function readAnswerText({ server, token }: ServerLink, answer: ServerAnswer): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer.chunks) {
    bytes += chunk.length;
    if (bytes > servedBytesMax) throw foreignServer(server, "its answer is larger than 1 MiB");
    chunks.push(chunk);
  }
  return withoutToken(Buffer.concat(chunks).toString("utf8"), token);
}

async function* linesIn({ server, token }: ServerLink, answer: ServerAnswer): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of answer.chunks) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > servedBytesMax)
      throw foreignServer(server, "a line of its answer is larger than 1 MiB");
    yield* lines.map((line) => withoutToken(line, token));
  }
  if (rest !== "") throw foreignServer(server, "its answer ends in the midst of a line");
}

/** A server that repeats what it was sent must not bring a token onto a screen. */
function withoutToken(text: string, token: string | undefined): string {
  return token === undefined ? text : text.replaceAll(token, "(not shown)");
}

function isJson({ headers }: ServerAnswer): boolean {
  return /^application\/json *(;|$)/i.test(headers["content-type"] ?? "");
}

function foreignText({ headers, status }: ServerAnswer): string {
  const type = headers["content-type"] ?? "no type";
  return `it answers ${status} with ${type.slice(0, 100)}, as a proxy or another program does`;
}
