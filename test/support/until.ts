import { atDepth } from './depth.js';

const PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 500;
/** A slow check is repeated less often, because the work that the test waits for needs the processor, too. */
const PAUSES = 3;

/** Ends only tests that hang: on a busy machine everything may take ten times as long. */
const LIMIT_MS = atDepth(300_000, 600_000);

/** Asks again and again until the answer is true; fails when it hangs. */
export async function until(done: () => Promise<boolean>, limitMs = LIMIT_MS): Promise<void> {
  const end = Date.now() + limitMs;
  for (let askedAt = Date.now(); !(await done()); askedAt = Date.now()) {
    const now = Date.now();
    if (now > end) throw new Error('What the test waits for did not happen in time.');
    const pause = Math.min(LONGEST_PAUSE_MS, Math.max(PAUSE_MS, PAUSES * (now - askedAt)));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
