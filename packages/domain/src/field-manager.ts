/** We write under the peer's name. Fields that the peer wrote keep the same manager when it is removed, so there is no conflict. */
export const fieldManager = "Reloader";
