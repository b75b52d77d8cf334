import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { FleetOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import type {
  RedisSessions,
  SessionPlace,
  SignInSession,
} from "@fleet-reloader/redis/session/redis-sessions";
import type { AccessSubject } from "@fleet-reloader/runtime/access/access-document";
import { bearerToken, ownerOfToken } from "@fleet-reloader/runtime/access/token-digest";
import { assertReadable, whileReadable } from "../api/while-readable.ts";
import { type IssuedPerson, subjectOfPerson, ungranted } from "../sign-in/issued-person.ts";
import type { IssuedSessions } from "../sign-in/issued-sessions.ts";
import { newTerminalSession, terminalSessionId } from "../sign-in/terminal-session.ts";
import type { IdentifyCaller } from "./caller.ts";
import { createGrantedCaller, everybody, type Viewer } from "./granted-caller.ts";
import { assertOwnPage } from "./own-page.ts";
import { unauthenticated } from "./refuse-access.ts";
import { createSessionCookie, type SessionCookie } from "./session-cookie.ts";

/** Who may sign in, and what they may do. */
export interface AccessOptions {
  /** The subjects of the access file, as it is now. */
  readonly subjects: () => Promise<readonly AccessSubject[]>;
  readonly sessions: Pick<RedisSessions, "begin" | "find" | "end">;
  /** Sessions of people who signed in with an issuer; undefined: there is no issuer. */
  readonly issued?: IssuedSessions | undefined;
  /** The person whom a trusted proxy in front of us names in a request; undefined: it names nobody, or the request does not come from it. */
  readonly proxied?: ((request: IncomingMessage) => IssuedPerson | undefined) | undefined;
  /** Whether we listen on a loopback address only, without TLS. */
  readonly isLocal: boolean;
  readonly overview: Pick<FleetOverview, "clusters">;
  /** Reasons why Redis cannot be read, one a line. */
  readonly notReady: () => readonly string[];
  readonly clock: Clock;
}

/** A session of a person with at least one grant. */
interface KnownSession {
  readonly subject: AccessSubject;
  /** The latest time at which it ends. */
  readonly endMs: number;
  /** Makes the proof of another session with this id, of the same sign-in. */
  readonly prove: (id: string) => string;
}

/** Identifies callers by their token, their session, or the headers of a proxy. */
export class AccessControl implements Readonly<Record<"identify", IdentifyCaller>> {
  readonly #options: AccessOptions;
  readonly cookie: SessionCookie;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.cookie = createSessionCookie({ isLocal: options.isLocal });
  }

  /**
   * Identifies the caller of a request. Faults with `access.unauthenticated`, or with `access.forbidden` when the page of another site wants to
   * change something.
   */
  async identify(request: IncomingMessage): Promise<Viewer> {
    const proxied = this.#options.proxied?.(request);
    if (proxied !== undefined) return await this.#identifyProxied(request, proxied);
    const token = bearerToken(request);
    const subject = token === undefined ? await this.#signedIn(request) : await this.#ownerOf(token);
    if (subject === undefined) throw unauthenticated(unknownCaller(token));
    return createGrantedCaller(subject, await this.#labelled(subject));
  }

  /** Begins a session for the person who has this token. Resolves to its id; undefined when no person has the token. Machines do not sign in. */
  async signIn(token: string): Promise<{ readonly name: string; readonly id: string } | undefined> {
    const owner = ownerIn(await this.#options.subjects(), token);
    if (owner === undefined || owner.subject.type !== "person") return undefined;
    const { name } = owner.subject;
    const prove = (id: string) => tokenProofOf(owner.digest, id);
    return { name, id: await this.#whileReadable(() => this.#options.sessions.begin(name, prove)) };
  }

  /** Begins a session for a person who signed in with the issuer. Resolves to its id; undefined when the person has no grant. */
  async signInIssued(person: IssuedPerson): Promise<string | undefined> {
    const { issued, sessions, subjects } = this.#options;
    if (issued === undefined || subjectOfPerson(person, await subjects()) === undefined) return undefined;
    const prove = (id: string) => issued.prove(id, person);
    return await this.#whileReadable(() => sessions.begin(person.name, prove));
  }

  /**
   * Begins a terminal session for the person whose browser sends this request. The terminal has shown the challenge. The session ends when the
   * browser's session would. Resolves to the code that the person takes to the terminal. Faults when a proxy signs people in, and with
   * `access.unauthenticated` when nobody is signed in.
   */
  async signInTerminal(
    request: IncomingMessage,
    challenge: string,
  ): Promise<{ readonly name: string; readonly code: string }> {
    if (this.#options.proxied?.(request) !== undefined) throw signedInByProxy();
    const found = await this.#sessionOf(this.cookie.read(request), "browser");
    if (found === undefined) throw unauthenticated("nobody is signed in");
    const { code, id } = newTerminalSession(challenge);
    const { endMs, prove, subject } = found;
    const how = { id, endMs, place: "terminal" } as const;
    await this.#whileReadable(() => this.#options.sessions.begin(subject.name, prove, how));
    return { name: subject.name, code };
  }

  /** Ends the session that a request names by a cookie or by the token of a terminal, if it names one. */
  async signOut(request: IncomingMessage): Promise<void> {
    const token = bearerToken(request);
    const id = token === undefined ? this.cookie.read(request) : terminalSessionId(token);
    if (id !== undefined) await this.#whileReadable(() => this.#options.sessions.end(id));
  }

  /** Waits for Redis only while Redis can be read. */
  async #whileReadable<T>(work: () => Promise<T>): Promise<T> {
    // Checked before the work begins: a command to an unreachable Redis waits.
    const { clock, notReady } = this.#options;
    assertReadable(notReady);
    const { signal } = new AbortController();
    return await whileReadable(work(), { clock, notReady }, signal);
  }

  /** A browser that signs in at the proxy needs the same protection from pages of other sites as one that signs in here. */
  async #identifyProxied(request: IncomingMessage, person: IssuedPerson): Promise<Viewer> {
    assertOwnChange(request);
    const subject = subjectOfPerson(person, await this.#options.subjects());
    if (subject === undefined) throw ungranted(person);
    return createGrantedCaller(subject, await this.#labelled(subject));
  }

  async #signedIn(request: IncomingMessage): Promise<AccessSubject | undefined> {
    const id = this.cookie.read(request);
    if (id !== undefined) assertOwnChange(request);
    return (await this.#sessionOf(id, "browser"))?.subject;
  }

  async #ownerOf(token: string): Promise<AccessSubject | undefined> {
    const owner = ownerIn(await this.#options.subjects(), token);
    return owner?.subject ?? (await this.#sessionOf(terminalSessionId(token), "terminal"))?.subject;
  }

  /** A session has the grants that its person has now. It ends when the person's token or last grant is removed. */
  async #sessionOf(id: string | undefined, place: SessionPlace): Promise<KnownSession | undefined> {
    if (id === undefined) return undefined;
    const session = await this.#whileReadable(() => this.#options.sessions.find(id, place));
    if (session === undefined) return undefined;
    const known = this.#knownOf(id, session, await this.#options.subjects());
    if (known === undefined) await this.#whileReadable(() => this.#options.sessions.end(id));
    return known;
  }

  #knownOf(id: string, session: SignInSession, subjects: readonly AccessSubject[]): KnownSession | undefined {
    const { issued } = this.#options;
    const person = issued?.personOf(id, session);
    if (issued !== undefined && person !== undefined) {
      const subject = subjectOfPerson(person, subjects);
      const { endMs } = person;
      return subject && { subject, endMs, prove: (other) => issued.prove(other, person, endMs) };
    }
    const owner = digestsOf(subjects).find(
      ({ digest, subject: { name, type } }) =>
        type === "person" && name === session.name && tokenProofOf(digest, id) === session.proof,
    );
    if (owner === undefined) return undefined;
    const { digest, subject } = owner;
    return { subject, endMs: session.endMs, prove: (other) => tokenProofOf(digest, other) };
  }

  /** The registered clusters, read only if a grant selects clusters by label. */
  async #labelled({ grants }: AccessSubject) {
    const isByLabel = grants.some(
      ({ clusters }) => typeof clusters === "object" && "requirements" in clusters,
    );
    if (!isByLabel) return [];
    return (await this.#whileReadable(() => this.#options.overview.clusters())) ?? [];
  }
}

/** Identifies the caller of a request. Without sign-in every caller is `everybody`. */
export async function identifyViewer(
  access: AccessControl | undefined,
  request: IncomingMessage,
): Promise<Viewer> {
  return access === undefined ? everybody : await access.identify(request);
}

/** Faults when a request that changes something does not come from our own page. */
function assertOwnChange(request: IncomingMessage): void {
  if (request.method !== "GET" && request.method !== "HEAD") assertOwnPage(request);
}

function ownerIn(subjects: readonly AccessSubject[], token: string) {
  return ownerOfToken(digestsOf(subjects), token);
}

function digestsOf(subjects: readonly AccessSubject[]) {
  return subjects.flatMap((subject) => subject.digests.map((digest) => ({ subject, digest })));
}

function unknownCaller(token: string | undefined): string {
  if (token === undefined) return "nobody is signed in";
  return terminalSessionId(token) === undefined
    ? "the token is not known"
    : "the sign-in of this terminal has ended";
}

function signedInByProxy(): Fault {
  const mend = "take a token of the access file for the terminal";
  return new Fault("access.forbidden", `a proxy signs people in here, and no terminal; ${mend}`, {
    context: { mend },
  });
}

/**
 * The proof contains the token's hash and the session's id. So it does not reveal the hash, and a writer of Redis can neither forge a proof nor
 * move one to another session.
 */
function tokenProofOf(digest: Buffer, sessionId: string): string {
  return createHash("sha256")
    .update("fleet-reloader session")
    .update(sessionId)
    .update(digest)
    .digest("base64url");
}
