const SHOWN = 15;

/** Checks every case and reports those that fail together, rather than one per run. */
export async function every<T>(cases: Iterable<T>, check: (item: T) => Promise<void>): Promise<void> {
  const failures: string[] = [];
  let count = 0;
  for (const item of cases) {
    count++;
    await check(item).catch((error: Error) => failures.push(error.message.slice(0, 1000)));
  }
  if (count === 0) throw new Error('There was nothing to check.');
  if (failures.length === 0) return;
  throw new Error(`${failures.length} of ${count} cases failed:\n${failures.slice(0, SHOWN).join('\n')}`);
}
