import { unauthorized } from "../status-errors.ts";
import { type AccessRequest, type AccessRule, allRules, isAllowed } from "./rules.ts";

interface User {
  readonly token: string;
  rules: readonly AccessRule[];
}

export const ADMIN = "admin";
export const ANONYMOUS = "system:anonymous";

/** Who may come in with which token, and what they may do; both change at run time. */
export class UserDirectory {
  readonly #users = new Map<string, User>();
  readonly #namesByToken = new Map<string, string>();

  /** Adds or replaces; an earlier token of the same user is dead from now on. */
  add(name: string, token: string, rules: readonly AccessRule[] = allRules): void {
    this.remove(name);
    this.#users.set(name, { token, rules });
    this.#namesByToken.set(token, name);
  }

  remove(name: string): void {
    const user = this.#users.get(name);
    if (user === undefined) return;
    this.#users.delete(name);
    this.#namesByToken.delete(user.token);
  }

  setRules(name: string, rules: readonly AccessRule[]): void {
    this.#userOf(name).rules = rules;
  }

  tokenOf(name: string): string {
    return this.#userOf(name).token;
  }

  /** The user behind an Authorization header. Throws 401 for a token that nobody has. */
  authenticate(header: string | undefined): string {
    if (header === undefined || header === "") return ANONYMOUS;
    const token = /^Bearer\s+(\S+)$/i.exec(header)?.[1];
    const name = token === undefined ? undefined : this.#namesByToken.get(token);
    if (name === undefined) throw unauthorized();
    return name;
  }

  mayAccess(name: string, request: AccessRequest): boolean {
    const user = this.#users.get(name);
    return user !== undefined && isAllowed(user.rules, request);
  }

  #userOf(name: string): User {
    const user = this.#users.get(name);
    if (user === undefined) throw new Error(`no user ${name}`);
    return user;
  }
}
