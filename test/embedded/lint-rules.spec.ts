import { expect, it } from 'vitest';
import { endsTooSoon, waitsByTheClock } from '../../scripts/lib/clock-rule.mjs';
import { usesOfOtherConnections } from '../../scripts/lib/transactions-rule.mjs';
import { readTwice } from '../../scripts/lib/words-rule.mjs';

it.each([
  ['this.db.transaction((tx) => this.db.query(1))', 1],
  ['this.db.transaction(async (tx) => read(this.dataSource.manager))', 1],
  ['const write = (tx: EntityManager, row: Row) => { for (const each of row) this.db.query(each); }', 1],
  ['const run = (db) => db.transaction((tx) => db.query(1))', 1],
  ['class A { store(tx: EntityManager) { return this.db.query(1); } }', 1],
  ['this.db.transaction((tx) => tx.query(1)); this.db.query(2)', 0],
  ['class A { read(db: EntityManager) { return db.query(1); } }', 0],
  ['this.db.transaction((tx) => within(tx, (db) => db.query(1)))', 0],
  ['this.db.transaction((tx) => make({ db: tx }))', 0],
])('finds what uses another connection inside a transaction: %s', (code, count) => {
  expect(usesOfOtherConnections('a.ts', code)).toHaveLength(count);
});

it.each([
  ["import { setTimeout as wait } from 'node:timers/promises'", 1],
  ['await new Promise((resolve) => setTimeout(resolve, 10))', 1],
  ['setInterval(look, 10)', 1],
  ['expect(Date.now() - before).toBeLessThan(1000)', 1],
  ['expect(performance.now() - before).toBeGreaterThanOrEqual(50)', 1],
  ["readdirSync('/proc').filter(isOurs)", 1],
  ["execFileSync('ps', ['-e'])", 1],
  ['vi.setSystemTime(Date.now() + 1000)', 0],
  ['expect(Date.parse(expires)).toBeGreaterThan(Date.now())', 0],
  ['expect(found.length).toBeLessThan(10)', 0],
  ["expect(text).toBe('/process')", 0],
])('finds what depends on the clock in a test: %s', (code, count) => {
  expect(waitsByTheClock('a.ts', code)).toHaveLength(count);
});

it.each([
  ["it('counts', async () => {}, 60_000)", 1],
  ["it('counts', { timeout: 1000 }, () => {})", 1],
  ['beforeAll(start, 5000)', 1],
  ['await expect.poll(read, { timeout: 15_000 }).toBe(2)', 1],
  ["await page.locator('a').waitFor({ state: 'visible' })", 0],
  ["it('compares a hundred histories', run, 600_000)", 0],
  ["it('counts', () => expect(1).toBe(1))", 0],
  ['expect(config).toEqual({ timeout: 30 })', 0],
])('finds limits that a busy machine exceeds: %s', (code, count) => {
  expect(endsTooSoon('a.ts', code)).toHaveLength(count);
});

it.each([
  ['/** What a caller wants. */', 1],
  ['/**\n * Of a log without a model, none.\n */', 1],
  ['// So long it may take.\n// It ends then.', 1],
  ['/** Waits until Redis tells of it. */', 1],
  ["@TextField({\n  description:\n    'What the user sees.',\n})", 1],
  ["it('=false tells nobody', () => {})", 1],
  ["it.each(['a', 'b'])('of %s there is none', () => {})", 1],
  ['/** Null when the log names no model. */', 0],
  ['/** Calls `Doorbell.ring` after the commit. */', 0],
  ["const title = 'What is left'; // The rest of the row.", 0],
  ["it('keeps the trace open when close is false', () => {})", 0],
])('finds texts that have to be read twice: %s', (code, count) => {
  expect(readTwice('a.ts', code)).toHaveLength(count);
});
