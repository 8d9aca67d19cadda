import Bull from 'bull';
import pg from 'pg';
import { textsOf } from '../statements/texts-of.js';

/**
 * With `TEST_JITTER=1` every ring of a queue and every commit comes up to 50 ms later. A test that passes only because one thing usually
 * happens before another one fails then.
 */
const LONGEST_MS = 50;

type Method = (this: unknown, ...given: unknown[]) => unknown;
type Delayed = Method & { isDelayed?: true };

const delay = (): number => Math.random() * LONGEST_MS;

delayed(Bull.prototype as never, 'addBulk', (act) => later(act));
delayed(pg.Client.prototype as never, 'query', (act, [query]) => {
  if (!textsOf(query).some((text) => /^\s*COMMIT/i.test(text))) return act();
  if (typeof query === 'string') return later(act);
  // A submitted object is its own result.
  setTimeout(act, delay());
  return query;
});

/** Spec files share their process, which has each of these once. */
function delayed(
  prototype: Record<string, Delayed>,
  name: string,
  how: (act: () => unknown, given: unknown[]) => unknown,
) {
  const method = prototype[name]!;
  if (method.isDelayed) return;
  prototype[name] = Object.assign(
    function (this: unknown, ...given: unknown[]): unknown {
      return how(() => method.apply(this, given), given);
    },
    { isDelayed: true as const },
  );
}

async function later(act: () => unknown): Promise<unknown> {
  await new Promise((resolve) => setTimeout(resolve, delay()));
  return act();
}
