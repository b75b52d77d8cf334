/** By so much later than meant a change still falls into the quiet period before it: what is in between takes its time, too. */
const latenessMs = 500;
const attempts = 5;
/** What is made within a second counts as applied together. The lateness is a part of it. */
export const togetherMs = 400;

/**
 * Who says that changes come so often has to make them so often, which a busy machine does not always do: what was asserted of changes that
 * came too late says nothing, and is done again. The first time that they are in time counts.
 */
export async function whileInTime(
  everyMs: number,
  story: (inTime: () => void) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    let isLate = false;
    let last: number | undefined;
    const inTime = () => {
      const now = performance.now();
      isLate ||= last !== undefined && now - last > everyMs + latenessMs;
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
