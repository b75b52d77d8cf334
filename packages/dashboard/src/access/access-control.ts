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

/** Who signs in, and what they may. */
export interface AccessOptions {
  /** Those of the access file, as it is now. */
  readonly subjects: () => Promise<readonly AccessSubject[]>;
  readonly sessions: Pick<RedisSessions, "begin" | "find" | "end">;
  /** Sessions of people whom an issuer knows; undefined: there is no issuer. */
  readonly issued?: IssuedSessions | undefined;
  /** Whom a proxy in front of us says that a request is of; undefined: it says nobody, or is not to be trusted. */
  readonly proxied?: ((request: IncomingMessage) => IssuedPerson | undefined) | undefined;
  /** Whether we listen for this machine alone, without TLS. */
  readonly isLocal: boolean;
  readonly overview: Pick<FleetOverview, "clusters">;
  /** What keeps Redis from being read, a line each. */
  readonly notReady: () => readonly string[];
  readonly clock: Clock;
}

/** A session of somebody to whom something is granted. */
interface KnownSession {
  readonly subject: AccessSubject;
  /** When it ends at the latest. */
  readonly endMs: number;
  /** The proof of another session of the same sign-in, of this id. */
  readonly prove: (id: string) => string;
}

/** Knows callers by their tokens and sessions, and by the word of a proxy. */
export class AccessControl implements Readonly<Record<"identify", IdentifyCaller>> {
  readonly #options: AccessOptions;
  readonly cookie: SessionCookie;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.cookie = createSessionCookie(options);
  }

  /** Who makes a request. Faults with `access.unauthenticated`; with `access.forbidden` when the page of another site would change something. */
  async identify(request: IncomingMessage): Promise<Viewer> {
    const proxied = this.#options.proxied?.(request);
    if (proxied !== undefined) return await this.#identifyProxied(request, proxied);
    const token = bearerToken(request);
    const subject = token === undefined ? await this.#signedIn(request) : await this.#ownerOf(token);
    if (subject === undefined) throw unauthenticated(unknownCaller(token));
    return createGrantedCaller(subject, await this.#labelled(subject));
  }

  /** Begins a session of the person who has a token. Resolves to its id; undefined: nobody has it. A machine does not sign in. */
  async signIn(token: string): Promise<{ readonly name: string; readonly id: string } | undefined> {
    const owner = ownerIn(await this.#options.subjects(), token);
    if (owner === undefined || owner.subject.type !== "person") return undefined;
    const { name } = owner.subject;
    const prove = (id: string) => tokenProofOf(owner.digest, id);
    return { name, id: await this.#whileReadable(() => this.#options.sessions.begin(name, prove)) };
  }

  /** Begins a session of somebody whom the issuer knows. Resolves to its id; undefined: nothing is granted to them. */
  async signInIssued(person: IssuedPerson): Promise<string | undefined> {
    const { issued, sessions, subjects } = this.#options;
    if (issued === undefined || subjectOfPerson(person, await subjects()) === undefined) return undefined;
    const prove = (id: string) => issued.prove(id, person);
    return await this.#whileReadable(() => sessions.begin(person.name, prove));
  }

  /**
   * Begins a session for the terminal that has shown a challenge, of the person whose browser asks. It ends when theirs would. Resolves
   * to the code that they take to the terminal. Faults when a proxy says who they are, and with `access.unauthenticated` when nobody is.
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

  /** Ends the session that a request shows, if it shows one: with a cookie, or with the token of a terminal. */
  async signOut(request: IncomingMessage): Promise<void> {
    const token = bearerToken(request);
    const id = token === undefined ? this.cookie.read(request) : terminalSessionId(token);
    if (id !== undefined) await this.#whileReadable(() => this.#options.sessions.end(id));
  }

  /** Waits for Redis as long as it can be read. */
  async #whileReadable<T>(work: () => Promise<T>): Promise<T> {
    // Looked at before the work begins: a command to a Redis that is away waits.
    assertReadable(this.#options);
    const { signal } = new AbortController();
    return await whileReadable(work(), this.#options, signal);
  }

  /** A browser signs in at the proxy as it does here, so the page of another site is kept off in the same way. */
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

  /** A session is worth what is granted to its person now: with their token, or the last grant, it ends. */
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

  /** Only a grant by labels needs to know them. */
  async #labelled({ grants }: AccessSubject) {
    const isByLabel = grants.some(
      ({ clusters }) => typeof clusters === "object" && "requirements" in clusters,
    );
    if (!isByLabel) return [];
    return (await this.#whileReadable(() => this.#options.overview.clusters())) ?? [];
  }
}

/** Says who makes a request; where nobody signs in, everybody. */
export async function identifyViewer(
  access: AccessControl | undefined,
  request: IncomingMessage,
): Promise<Viewer> {
  return access === undefined ? everybody : await access.identify(request);
}

/** What changes something comes from our own page. */
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
 * Of the hash and the session, so that it tells nothing of the hash, and that nobody who writes into Redis makes one up or moves one to a
 * session of their own.
 */
function tokenProofOf(digest: Buffer, sessionId: string): string {
  return createHash("sha256")
    .update("fleet-reloader session")
    .update(sessionId)
    .update(digest)
    .digest("base64url");
}
