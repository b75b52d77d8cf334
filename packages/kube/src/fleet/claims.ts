import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { Registration } from "../registration/registration.ts";
import { type Claim, type FleetMember, inOrder, type Usable } from "./member.ts";

/** A registration that leads to a cluster, and its access. */
export interface Claimant {
  readonly member: FleetMember;
  readonly access: Usable;
  readonly registration: Registration;
}

/** Which registrations lead to which cluster. */
export class Claims {
  readonly #members = new Map<ClusterId, Set<FleetMember>>();

  /** Clusters that some registration leads to. */
  get clusters(): readonly ClusterId[] {
    return [...this.#members.keys()];
  }

  /** The registrations that lead to a cluster, in the order of preference. */
  of(cluster: ClusterId): readonly Claimant[] {
    return inOrder(this.#members.get(cluster) ?? []).flatMap((member) => {
      const { claim, registration } = member;
      return claim === undefined ? [] : [{ member, access: claim.access, registration }];
    });
  }

  /** The claim of a member has changed. Returns the clusters it has left and joined. */
  move(member: FleetMember, before: Claim | undefined): readonly ClusterId[] {
    const { claim } = member;
    const left = before?.cluster === claim?.cluster ? undefined : before?.cluster;
    if (left !== undefined) {
      const others = this.#members.get(left);
      others?.delete(member);
      if (others?.size === 0) this.#members.delete(left);
    }
    if (claim !== undefined)
      this.#members.set(claim.cluster, (this.#members.get(claim.cluster) ?? new Set()).add(member));
    return [left, claim?.cluster].filter((cluster) => cluster !== undefined);
  }
}
