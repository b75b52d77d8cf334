/** The peer writes under this name: what it has written stays owned by the same manager, and is not fought over, when it goes. */
export const fieldManager = "Reloader";
