/** Asks again and again until the answer is true; fails when it takes longer than any test should. */
export async function until(done: () => Promise<boolean>, timeoutMs = 45_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await done())) {
    if (Date.now() > end) throw new Error('What the test waits for did not happen in time.');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
