import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { hashPassword } from '../../src/administration/users/passwords.js';
import { Mailbox } from '../support/mailbox.js';
import type { Installation } from '../support/server-processes.js';
import { startBenchInstallation } from './bench-installation.js';
import { rankTest } from './rank-test.js';
import { machine, median, printTable } from './report.js';

/** Each address is tried once: ten wrong passwords and three e-mails are the limit of one. */
const TRIES = Number(process.env.BENCH_SIGN_INS ?? 150);
/** Answers without a hash take little time, so more of them show a smaller difference. */
const TRIES_WITHOUT_HASH = 4 * TRIES;
const WARM_UP = 10;
/** Longer than a link is created and sent in. */
const SETTLE_MS = 80;
const NOTABLE_Z = 2.58;

/** Kinds of addresses that must look the same from outside. The others are compared with the first one. */
const ADDRESSES = ['known', 'unknown', 'disabled', 'without password'] as const;
type Kind = (typeof ADDRESSES)[number];

const rows = [['request', 'address', 'median', 'ratio to known', 'slower in', 'z', 'verdict']];

describe('sign-ins with addresses that do and do not exist', () => {
  let server: Installation;
  let db: pg.Client;
  let mailbox: Mailbox;
  beforeAll(async () => {
    mailbox = await Mailbox.start();
    server = await startBenchInstallation({
      CONSOLE_SIGN_INS_PER_MINUTE: '0',
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'bench@example.com',
      PUBLIC_URL: 'http://localhost',
      OUTBOUND_ALLOW_PRIVATE: 'on',
    });
    await server.start('api');
    db = new pg.Client(server.databaseUrl);
    await db.connect();
    await addUsers();
  });
  afterAll(async () => {
    printTable(
      `Sign-ins by kind of address, ${TRIES} each (${TRIES_WITHOUT_HASH} without a hash) in random order: "slower in" is the share of pairs in which the kind is slower than a known address (50 %: no difference)\n${await machine(server.databaseUrl)}`,
      rows,
    );
    await db.end();
    await server.close();
    await mailbox.stop();
  });

  async function addUsers(): Promise<void> {
    const password = await hashPassword('a password that nobody enters');
    await db.query(
      `INSERT INTO users (email, email_key, status, password)
       SELECT address, address, CASE kind WHEN 'disabled' THEN 'disabled' ELSE 'active' END,
              CASE kind WHEN 'without password' THEN NULL ELSE $1 END
         FROM unnest($2::text[]) AS kind CROSS JOIN generate_series(0, $3::int) AS n
        CROSS JOIN LATERAL (SELECT replace(kind, ' ', '-') || '-' || n || '@example.com' AS address) AS a`,
      [password, ADDRESSES.filter((kind) => kind !== 'unknown'), TRIES_WITHOUT_HASH + WARM_UP],
    );
    await db.query('ANALYZE users');
  }

  it('takes as long for a wrong password', async () => {
    const times = await measure(ADDRESSES, TRIES, (email) =>
      timed('/console/sign-in', { email, password: 'a wrong one' }, 401),
    );
    compare('sign-in', times);
  });

  it('takes as long for a forgotten password, and so does the request after it', async () => {
    const kinds = ['known', 'unknown', 'disabled'] as const;
    const after = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
    const times = await measure(kinds, TRIES_WITHOUT_HASH, async (email, kind) => {
      const time = await timed('/console/password/forgotten', { email }, 202);
      // Work after the answer could delay the next request.
      const next = await timed('/console/invitation', { token: 'x'.repeat(43) }, 404);
      after.get(kind)!.push(next);
      // The work for a known address must not delay the request for another one.
      await wait(SETTLE_MS);
      return time;
    });
    compare('forgotten password', times);
    compare('… the next request', after);
  });

  async function timed(path: string, body: object, status: number): Promise<number> {
    const began = performance.now();
    const answer = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await answer.arrayBuffer();
    const time = performance.now() - began;
    if (answer.status !== status) throw new Error(`${path} answered ${answer.status}.`);
    return time;
  }
});

/** Kinds alternate in a random order, which spreads busy moments over all of them. */
async function measure(
  kinds: readonly Kind[],
  tries: number,
  one: (email: string, kind: Kind) => Promise<number>,
): Promise<Map<Kind, number[]>> {
  const times = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
  for (let n = 0; n < tries + WARM_UP; n += 1) {
    const order = kinds.map((kind) => ({ kind, at: Math.random() })).toSorted((a, b) => a.at - b.at);
    for (const { kind } of order) {
      const time = await one(`${kind.replace(' ', '-')}-${n}@example.com`, kind);
      if (n >= WARM_UP) times.get(kind)!.push(time);
    }
  }
  return times;
}

function compare(request: string, times: Map<Kind, number[]>): void {
  const known = times.get('known')!;
  for (const [kind, values] of times) {
    const { larger, z } = rankTest(values, known);
    const figures = [`${median(values).toFixed(1)} ms`, (median(values) / median(known)).toFixed(3)];
    const verdict = kind === 'known' ? '' : Math.abs(z) > NOTABLE_Z ? 'DIFFERS' : 'no difference';
    rows.push([request, kind, ...figures, `${(larger * 100).toFixed(0)} %`, z.toFixed(2), verdict]);
  }
}
