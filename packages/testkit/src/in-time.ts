const attempts = 5;
/** What is made within a second counts as applied together. */
export const togetherMs = 900;

/**
 * Whoever says that one thing comes within a time of another has to make it so, which a busy machine does not always do: what was
 * asserted of what came too late says nothing, and is done again. The first time that all is in time counts.
 */
export async function whileInTime(
  withinMs: number,
  story: (inTime: () => void) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    let isLate = false;
    let last: number | undefined;
    const inTime = () => {
      const now = performance.now();
      isLate ||= last !== undefined && now - last > withinMs;
      last = now;
    };
    try {
      return await story(inTime);
    } catch (error) {
      if (!isLate || attempt === attempts) throw error;
    }
  }
}

/**
 * For a statement about time: a busy machine makes things late now and then, and never early. It holds where it holds once in a few
 * attempts.
 */
export async function atBest(story: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await story();
    } catch (error) {
      if (attempt === attempts) throw error;
    }
  }
}
