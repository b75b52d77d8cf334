import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type { Access, ClusterProvider, Registration } from "./registration.ts";
import { isSameAccess, isSameRegistration } from "./same-registration.ts";

/**
 * Logs what becomes of registrations, once for each change, and counts them. An unchanged registration is passed on as the same object, so a
 * change of one cluster does not concern the others.
 */
export class Announcer {
  readonly #log: Log;
  readonly #meter: Pick<Meter, "registrations">;
  /** Grouped by provider. */
  readonly #known = new Map<
    ClusterProvider,
    { readonly kind: string; readonly byId: ReadonlyMap<string, Registration> }
  >();

  constructor(log: Log, meter: Pick<Meter, "registrations">) {
    this.#log = log;
    this.#meter = meter;
  }

  /** The same provider, but it reports only changes, which are also logged here. */
  announced(kind: string, provider: ClusterProvider): ClusterProvider {
    return {
      run: (signal, onChange) =>
        provider.run(signal, (registrations) => {
          const before = this.#known.get(provider)?.byId;
          const now = registrations.map((registration) => unchanged(before, registration));
          const isNews = now.length !== before?.size || now.some((one) => before.get(one.id) !== one);
          if (!isNews) return;
          this.#hear(kind, provider, now);
          onChange(now);
        }),
      get notReady() {
        return provider.notReady;
      },
      ...(provider.isNamed === undefined ? {} : { isNamed: provider.isNamed }),
    };
  }

  /** One line for each unused registration. */
  get notes(): readonly string[] {
    return [...this.#known.values()].flatMap(({ byId }) =>
      [...byId.values()].flatMap(({ name, access }) =>
        access.type === "usable" ? [] : [`cluster ${name} is ${access.type}: ${access.why}`],
      ),
    );
  }

  #hear(kind: string, provider: ClusterProvider, registrations: readonly Registration[]): void {
    const before = this.#known.get(provider)?.byId ?? new Map<string, Registration>();
    const byId = new Map(registrations.map((registration) => [registration.id, registration]));
    this.#known.set(provider, { kind, byId });
    for (const [id, { name, access }] of byId) {
      const was = before.get(id)?.access;
      if (was !== undefined && isSameAccess(was, access)) continue;
      this.#say({ registration: id, cluster: name }, was, access);
    }
    for (const [id, { name }] of before)
      if (!byId.has(id))
        this.#log.info({ registration: id, cluster: name }, "cluster is no longer registered");
    this.#count(kind);
  }

  #say(fields: object, was: Access | undefined, access: Access): void {
    switch (access.type) {
      case "usable":
        this.#log.info(fields, usableMessage(was));
        return;
      case "paused":
        this.#log.info(
          { ...fields, reason: "RegistrationPaused", why: access.why },
          "registration is paused",
        );
        return;
      case "unusable":
        this.#log.warn(
          { ...fields, reason: "RegistrationUnusable", why: access.why },
          "registration cannot be used",
        );
    }
  }

  #count(kind: string): void {
    const same = [...this.#known.values()].filter((one) => one.kind === kind);
    const all = same.flatMap(({ byId }) => [...byId.values()]);
    for (const state of ["usable", "paused", "unusable"] as const)
      this.#meter.registrations(kind, state, all.filter(({ access }) => access.type === state).length);
  }
}

function usableMessage(was: Access | undefined): string {
  if (was === undefined) return "cluster registered";
  return was.type === "usable" ? "address or credentials of a cluster changed" : "registration can be used";
}

function unchanged(
  before: ReadonlyMap<string, Registration> | undefined,
  registration: Registration,
): Registration {
  const was = before?.get(registration.id);
  return was !== undefined && isSameRegistration(was, registration) ? was : registration;
}
